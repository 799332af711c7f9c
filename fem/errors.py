"""Bad input to the finite-element package."""


class InputError(ValueError):
    """What was wrong with an argument and what to do about it, in one line.

    `user_error` is how the command line tells it from a bug without importing this package.
    """

    user_error = True
