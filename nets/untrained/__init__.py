"""Nets whose hidden weights are drawn and never trained: the output weights solve a linear
least-squares problem, because residuals that are linear in the field are linear in them.

Known as extreme learning machines (PIELM: Dwivedi and Srinivasan 2020) and as the random feature
method (Chen, Chi, E and Yang 2022). No particular equation is known here.
"""
