"""What the rest of bench stands on: settings, plugins from outside, guards, values for JSON."""
