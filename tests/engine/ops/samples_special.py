"""Samples of special functions, running extremes, and of what ranks or counts elements."""

from __future__ import annotations

from backscope_op_samples import LARGE, ROW, SIGNED, SMALL, WIDE, Sample, values

ABOVE = values(2, 3, low=1.2, high=4.7, seed=60)

SPECIAL = [
    Sample("lgamma", lambda t, a: a.lgamma(), (ABOVE,), kinds=WIDE),
    Sample("digamma", lambda t, a: a.digamma(), (ABOVE,), kinds=WIDE),
    Sample("polygamma", lambda t, a: t.polygamma(1, a), (ABOVE,), kinds=WIDE),
    Sample("erfinv", lambda t, a: a.erfinv(), (SMALL,), kinds=WIDE),
    Sample("i0", lambda t, a: t.i0(a), (SIGNED,), kinds=WIDE),
    Sample("special_i1", lambda t, a: t.special.i1(a), (SIGNED,), kinds=WIDE),
    Sample("special_i0e", lambda t, a: t.special.i0e(a), (SIGNED,), kinds=WIDE),
    Sample("special_i1e", lambda t, a: t.special.i1e(a), (SIGNED,), kinds=WIDE),
    Sample("sinc", lambda t, a: a.sinc(), (SIGNED,), kinds=WIDE),
    Sample("logit", lambda t, a: a.logit(), (SMALL,), kinds=WIDE),
    Sample("igamma", lambda t, a: t.igamma(t.full((2, 3), 1.5, dtype=a.dtype), a), (ABOVE,), kinds=WIDE),
    Sample("igammac", lambda t, a: t.igammac(t.full((2, 3), 1.5, dtype=a.dtype), a), (ABOVE,), kinds=WIDE),
    Sample("special_zeta", lambda t, a: t.special.zeta(t.full_like(a, 2.5), a), (ABOVE,), kinds=()),
    Sample("special_zeta_of_number", lambda t, a: t.special.zeta(2.5, a), (ABOVE,), kinds=()),
    Sample(
        "special_zeta_number", lambda t, a: t.special.zeta(a.detach(), 2.0), (ABOVE,), kinds=(), differentiable=False
    ),
    Sample("special_xlog1py", lambda t, a, b: t.special.xlog1py(a, b), (SMALL, SIGNED + 2), kinds=WIDE),
    Sample("special_xlog1py_number", lambda t, a: t.special.xlog1py(a, 2.5), (SIGNED,), kinds=WIDE),
    Sample("special_xlog1py_of_number", lambda t, a: t.special.xlog1py(2.5, a), (SMALL,), kinds=WIDE),
    Sample("mvlgamma", lambda t, a: t.mvlgamma(a, 2), (ABOVE,), kinds=WIDE),
    Sample("special_ndtri", lambda t, a: t.special.ndtri(a), (SMALL,), kinds=WIDE),
    Sample("special_erfcx", lambda t, a: t.special.erfcx(a), (SIGNED,), kinds=WIDE),
    Sample("special_log_ndtr", lambda t, a: t.special.log_ndtr(a), (SIGNED,), kinds=WIDE),
    Sample("special_entr", lambda t, a: t.special.entr(a), (SMALL,), kinds=WIDE),
]

ORDER = [
    Sample("cummax", lambda t, a: a.cummax(1)[0], (SIGNED,)),
    Sample("cummin", lambda t, a: a.cummin(0)[0], (SIGNED,)),
    Sample("logcumsumexp", lambda t, a: a.logcumsumexp(1), (SIGNED,), kinds=WIDE),
    Sample("kthvalue", lambda t, a: a.kthvalue(2, 1)[0], (SIGNED,)),
    Sample("mode", lambda t, a: a.mode(1)[0], (SIGNED,)),
    Sample("unique", lambda t, a: t._unique(a.detach())[0], (ROW,), differentiable=False),
    Sample("unique2", lambda t, a: t.unique(a.detach()), (ROW,), differentiable=False),
    Sample("unique_dim", lambda t, a: t.unique(a.detach(), dim=0), (SMALL,), differentiable=False),
    Sample("unique_consecutive", lambda t, a: t.unique_consecutive(a.detach()), (ROW,), differentiable=False),
]

LENGTHS = [
    Sample("dist", lambda t, a, b: t.dist(a, b), (SMALL, SIGNED), kinds=WIDE),
    Sample("dist", lambda t, a, b: t.dist(a, b, 3), (SMALL, SIGNED), kinds=WIDE),
    Sample("renorm", lambda t, a: t.renorm(a, 2, 0, 1.0), (SIGNED,), kinds=WIDE),
    Sample("block_diag", lambda t, a, b: t.block_diag(a, b), (SMALL, ROW)),
]

FUNCTIONS = "airy_ai spherical_bessel_j0 bessel_j0 bessel_j1 bessel_y0 bessel_y1 modified_bessel_i0 modified_bessel_i1"
SCALED = "modified_bessel_k0 modified_bessel_k1 scaled_modified_bessel_k0 scaled_modified_bessel_k1"
CHEBYSHEV = [f"{s}chebyshev_polynomial_{k}" for s in ("", "shifted_") for k in "tuvw"]
OTHERS = ("hermite_polynomial_h", "hermite_polynomial_he", "laguerre_polynomial_l", "legendre_polynomial_p")


def of_values(name):  # type: ignore[no-untyped-def]
    """A function of torch.special to four places: PyTorch's own go wrong after the seventh."""
    return lambda t, x: getattr(t.special, name)(x).mul(1e4).round()


def of_degrees(name):  # type: ignore[no-untyped-def]
    """A polynomial of torch.special, of a degree for each column."""
    return lambda t, x: getattr(t.special, name)(x, t.arange(x.shape[-1]))


BESSEL = [
    Sample(f"special_{n}", of_values(n), (LARGE,), differentiable=False) for n in (*FUNCTIONS.split(), *SCALED.split())
]
POLYNOMIAL = [
    Sample(f"special_{n}", of_degrees(n), (SIGNED[:, :2],), differentiable=False) for n in (*CHEBYSHEV, *OTHERS)
]

SAMPLES = [*SPECIAL, *ORDER, *LENGTHS, *BESSEL, *POLYNOMIAL]
