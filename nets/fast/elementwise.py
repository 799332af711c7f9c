"""The elementwise half of a layer on jets: a = σ(z) with derivatives, and its adjoint, in numba.

With z₀ the value channel, z_j = ∂_j z and the activation at z₀:

    a₀ = σ        a_j = σ′ z_j        a_Δ = σ″ Σ z_j² + σ′ z_Δ        a_jk = σ″ z_j z_k + σ′ z_jk

and for the adjoint φ of s·a, with m = Σ φ_c z_c over all channels but the value, and q_j =
2 φ_Δ z_j, or Σ_k φ_jk z_k (twice for k = j), or zero where there are no second derivatives:

    g_Δ = s σ′ φ_Δ      g_jk = s σ′ φ_jk      g_j = s (σ′ φ_j + σ″ q_j)
    g₀ = s (σ′ φ₀ + σ″ m + σ‴ Σ q_j z_j / 2)      ⟨φ, a⟩ = σ φ₀ + σ′ m + σ″ Σ q_j z_j / 2.

A row is one feature at TILE points, channel after channel; d has σ, σ′, σ″, σ‴ in the place of
the channels, as far as they are needed. TILE is a constant, so that the compiler sees how the
channels lie to each other and vectorises; loops over arrays of unknown distance it leaves alone.
"""

from __future__ import annotations

from math import factorial

import numba

# Sums may be reordered (to an order that the machine code then fixes), but NaN and inf must stay
# what they are: neither nnan nor ninf.
REORDERED_SUMS = {"reassoc", "contract", "arcp", "nsz"}
TILE = 64
# Of tanh, which is 1 beyond CLIP: ln 2 in two parts, the first with few digits; 1.5 · 2⁵²; 1/k!
CLIP, SHIFT = 20.0, 6755399441055744.0
INVERSE_LN2, LN2_HIGH, LN2_LOW = 1.4426950408889634, 6.93147180369123816e-1, 1.90821492927058770e-10
F2, F3, F4, F5, F6, F7, F8, F9, F10, F11, F12, F13 = (1 / factorial(k) for k in range(2, 14))
LAPLACIAN, SECOND = 5, 10  # the number of channels of these orders


@numba.njit(cache=True, fastmath=REORDERED_SUMS)
def push(z, d, s, a):  # type: ignore[no-untyped-def]
    """a ← s σ(z) with its derivatives."""
    channels = z.shape[1] // TILE
    for i in range(len(a)):
        for n in range(TILE):
            a[i, n] = s * d[i, n]
        if channels > 1:
            for n in range(TILE):
                slope = s * d[i, TILE + n]
                a[i, TILE + n] = slope * z[i, TILE + n]
                a[i, 2 * TILE + n] = slope * z[i, 2 * TILE + n]
                a[i, 3 * TILE + n] = slope * z[i, 3 * TILE + n]
        if channels == LAPLACIAN:
            for n in range(TILE):
                z1, z2, z3 = z[i, TILE + n], z[i, 2 * TILE + n], z[i, 3 * TILE + n]
                bent = d[i, 2 * TILE + n] * (z1 * z1 + z2 * z2 + z3 * z3)
                a[i, 4 * TILE + n] = s * (bent + d[i, TILE + n] * z[i, 4 * TILE + n])
        elif channels == SECOND:
            for n in range(TILE):
                slope, bend = s * d[i, TILE + n], s * d[i, 2 * TILE + n]
                z1, z2, z3 = z[i, TILE + n], z[i, 2 * TILE + n], z[i, 3 * TILE + n]
                a[i, 4 * TILE + n] = bend * z1 * z1 + slope * z[i, 4 * TILE + n]
                a[i, 5 * TILE + n] = bend * z1 * z2 + slope * z[i, 5 * TILE + n]
                a[i, 6 * TILE + n] = bend * z1 * z3 + slope * z[i, 6 * TILE + n]
                a[i, 7 * TILE + n] = bend * z2 * z2 + slope * z[i, 7 * TILE + n]
                a[i, 8 * TILE + n] = bend * z2 * z3 + slope * z[i, 8 * TILE + n]
                a[i, 9 * TILE + n] = bend * z3 * z3 + slope * z[i, 9 * TILE + n]


@numba.njit(cache=True, fastmath=REORDERED_SUMS)
def pull(z, d, s, phi, g, inner):  # type: ignore[no-untyped-def]
    """Set g from φ, and `inner` to ⟨φ, a⟩ point by point."""
    channels = z.shape[1] // TILE
    inner[:] = 0.0
    for i in range(len(phi)):
        if channels == 1:
            for n in range(TILE):
                inner[n] += phi[i, n] * d[i, n]
                g[i, n] = s * phi[i, n] * d[i, TILE + n]
        elif channels == LAPLACIAN:
            for n in range(TILE):
                p4 = phi[i, 4 * TILE + n]
                q1, q2 = 2 * p4 * z[i, TILE + n], 2 * p4 * z[i, 2 * TILE + n]
                q3, mixed = 2 * p4 * z[i, 3 * TILE + n], p4 * z[i, 4 * TILE + n]
                g[i, 4 * TILE + n] = s * d[i, TILE + n] * p4
                _pull_point(i, n, z, d, s, phi, q1, q2, q3, mixed, d[i, 3 * TILE + n], g, inner)
        elif channels == SECOND:
            for n in range(TILE):
                z1, z2, z3 = z[i, TILE + n], z[i, 2 * TILE + n], z[i, 3 * TILE + n]
                p11, p12, p13 = phi[i, 4 * TILE + n], phi[i, 5 * TILE + n], phi[i, 6 * TILE + n]
                p22, p23, p33 = phi[i, 7 * TILE + n], phi[i, 8 * TILE + n], phi[i, 9 * TILE + n]
                q1 = 2 * p11 * z1 + p12 * z2 + p13 * z3
                q2 = p12 * z1 + 2 * p22 * z2 + p23 * z3
                q3 = p13 * z1 + p23 * z2 + 2 * p33 * z3
                mixed, slope = 0.0, s * d[i, TILE + n]
                for c in range(4, SECOND):
                    mixed += phi[i, c * TILE + n] * z[i, c * TILE + n]
                    g[i, c * TILE + n] = slope * phi[i, c * TILE + n]
                _pull_point(i, n, z, d, s, phi, q1, q2, q3, mixed, d[i, 3 * TILE + n], g, inner)
        else:
            for n in range(TILE):
                _pull_point(i, n, z, d, s, phi, 0.0, 0.0, 0.0, 0.0, 0.0, g, inner)


@numba.njit(inline="always", fastmath=REORDERED_SUMS)
def _pull_point(i, n, z, d, s, phi, q1, q2, q3, mixed, bend, g, inner):  # type: ignore[no-untyped-def]
    """g₀ and g_j of one point; `mixed` is the part of m from second derivatives, `bend` is σ‴."""
    z1, z2, z3 = z[i, TILE + n], z[i, 2 * TILE + n], z[i, 3 * TILE + n]
    p0, p1, p2, p3 = (
        phi[i, n],
        phi[i, TILE + n],
        phi[i, 2 * TILE + n],
        phi[i, 3 * TILE + n],
    )
    s1, s2 = d[i, TILE + n], d[i, 2 * TILE + n]
    m = mixed + p1 * z1 + p2 * z2 + p3 * z3
    half = 0.5 * (q1 * z1 + q2 * z2 + q3 * z3)
    inner[n] += d[i, n] * p0 + s1 * m + s2 * half
    g[i, n] = s * (s1 * p0 + s2 * m + bend * half)
    g[i, TILE + n] = s * (s1 * p1 + s2 * q1)
    g[i, 2 * TILE + n] = s * (s1 * p2 + s2 * q2)
    g[i, 3 * TILE + n] = s * (s1 * p3 + s2 * q3)


@numba.njit(cache=True, error_model="numpy", fastmath={"contract"})
def tanh_derivatives(z, b, scratch, bits, d):  # type: ignore[no-untyped-def]
    """Set d at z₀ + b for σ = tanh: t, 1 − t², −2t σ′, (4 − 6σ′) σ′.

    t = e/(e + 2) with e = exp(2x) − 1 = 2ᵏ (p + 1) − 1, p = exp(r) − 1 by its series, and
    2x = k ln 2 + r. `bits` is `scratch` seen as integers: k stands in the last bits of
    2x/ln 2 + SHIFT, and moved to the place of the exponent it is 2ᵏ. Within 3 ulp; 2 ns with
    all derivatives, torch's tanh alone takes 5.
    """
    for i in range(len(b)):
        for n in range(TILE):
            x = z[i, n] + b[i]
            x = CLIP if x > CLIP else x
            x = -CLIP if x < -CLIP else x
            k = 2 * x * INVERSE_LN2 + SHIFT
            scratch[n] = k
            k -= SHIFT
            d[i, n] = (2 * x - k * LN2_HIGH) - k * LN2_LOW
        for n in range(TILE):
            bits[n] = (bits[n] + 1023) << 52
        for n in range(TILE):
            r, power = d[i, n], scratch[n]
            p = F13 * r + F12
            p = (((p * r + F11) * r + F10) * r + F9) * r + F8
            p = (((p * r + F7) * r + F6) * r + F5) * r + F4
            p = (((p * r + F3) * r + F2) * r + 1.0) * r
            e = power * p + (power - 1.0)
            t = e / (e + 2.0)
            d[i, n] = t
            d[i, TILE + n] = 1.0 - t * t
        if d.shape[1] > 2 * TILE:
            for n in range(TILE):
                d[i, 2 * TILE + n] = -2.0 * d[i, n] * d[i, TILE + n]
        if d.shape[1] > 3 * TILE:
            for n in range(TILE):
                slope = d[i, TILE + n]
                d[i, 3 * TILE + n] = (4.0 - 6.0 * slope) * slope


@numba.njit(cache=True, error_model="numpy", fastmath=REORDERED_SUMS)
def smooth_relu_derivatives(z, b, eta, d):  # type: ignore[no-untyped-def]
    """Set d at z₀ + b for the paper's smoothReLU: with c = clamp((x+η)/2η, 0, 1) it is
    η c² + max(x−η, 0), c, and 1/2η where |x| < η. NaN propagates through the comparisons.
    """
    zero, one, half = z.dtype.type(0), z.dtype.type(1), z.dtype.type(0.5) / eta
    for i in range(len(b)):
        for n in range(TILE):
            x = z[i, n] + b[i]
            c = (x + eta) * half
            c = zero if c < zero else c
            c = one if c > one else c
            above = x - eta
            above = zero if above < zero else above
            d[i, n] = eta * c * c + above
            d[i, TILE + n] = c
        if d.shape[1] > 2 * TILE:
            for n in range(TILE):
                x = z[i, n] + b[i]
                d[i, 2 * TILE + n] = half if abs(x) < eta else zero
