"""Special functions: gamma and Bessel functions, the error function, polynomials."""
