"""Points, operators and boundary values from which the forms build their residuals."""
