"""What every other package stands on: errors for users, and things found by their names.

`base` imports nothing of ours and nothing heavy.
"""
