"""Nets on rows of a user's file."""
