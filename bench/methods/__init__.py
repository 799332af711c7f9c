"""Methods: elements, trained nets, nets that solve, linear models.

Each method takes a problem and a configuration.
"""
