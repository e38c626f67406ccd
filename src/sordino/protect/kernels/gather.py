"""Rows gathered into small safe groups, from below."""

from __future__ import annotations

import numpy as np
from numba import njit


@njit(cache=True, nogil=True)
def gather(codes, left, sort, flag_ptr, flags, num, den, up, active, key, table, head_next, took, group_of, groups, take_ptr):  # type: ignore
    """One pattern. Returns new number of takes."""
    A = codes.shape[1]
    T = len(num)
    mask = len(table) - 1
    n = len(active)
    # hash to buckets
    firsts = np.empty(n, np.int64)
    tails = np.empty(n, np.int64)
    nb = 0
    for i in range(n):
        u = active[i]
        k = np.int64(0)
        for a in range(A):
            k = (k * 1000003 + up[codes[u, a]]) & 0x3FFFFFFFFFF
        key[u] = k
        h = (k ^ (k >> 15)) & mask
        while True:
            b = table[h]
            if b < 0:
                table[h] = nb
                firsts[nb] = u
                tails[nb] = u
                head_next[u] = -1
                nb += 1
                break
            v = firsts[b]
            same = key[v] == k
            if same:
                for a in range(A):
                    if up[codes[u, a]] != up[codes[v, a]]:
                        same = False
                        break
            if same:
                head_next[tails[b]] = u
                tails[b] = u
                head_next[u] = -1
                break
            h = (h + 1) & mask
    # clear
    for b in range(nb):
        k = key[firsts[b]]
        h = (k ^ (k >> 15)) & mask
        while table[h] >= 0:
            table[h] = -1
            h = (h + 1) & mask
    cnt = np.zeros(T, np.int64)
    ntake = take_ptr[0]
    ngroup = take_ptr[1]
    for b in range(nb):
        u = firsts[b]
        N = 0
        while u >= 0:
            N += left[u]
            for f in range(flag_ptr[sort[u]], flag_ptr[sort[u] + 1]):
                cnt[flags[f]] += left[u]
            took[u] = left[u]
            u = head_next[u]
        while N > 0:
            bad = -1
            for t in range(T):
                if cnt[t] * den[t] > num[t] * N:
                    bad = t
                    break
            if bad < 0:
                break
            # remove
            u = firsts[b]
            while u >= 0:
                if took[u] > 0:
                    has = False
                    for f in range(flag_ptr[sort[u]], flag_ptr[sort[u] + 1]):
                        if flags[f] == bad:
                            has = True
                    if has:
                        over = cnt[bad] * den[bad] - num[bad] * N
                        if over <= 0:
                            break
                        k = min((over + den[bad] - num[bad] - 1) // (den[bad] - num[bad]), took[u])
                        took[u] -= k
                        N -= k
                        for f in range(flag_ptr[sort[u]], flag_ptr[sort[u] + 1]):
                            cnt[flags[f]] -= k
                u = head_next[u]
        cnt[:] = 0
        if N > 0:
            u = firsts[b]
            while u >= 0:
                if took[u] > 0:
                    groups[ntake, 0] = u
                    groups[ntake, 1] = ngroup
                    groups[ntake, 2] = took[u]
                    ntake += 1
                    left[u] -= took[u]
                u = head_next[u]
            ngroup += 1
    take_ptr[0] = ntake
    take_ptr[1] = ngroup
