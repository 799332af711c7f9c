"""Bad input to the finite-element package, and solves that did not come to an end."""


class InputError(ValueError):
    """What was wrong with an argument and what to do about it, in one line.

    `user_error` is how the command line tells it from a bug without importing this package.
    """

    user_error = True


class NotConverged(RuntimeError):
    """An iterative solve that stopped short: how far it came. Its error is never a result."""

    user_error = True
