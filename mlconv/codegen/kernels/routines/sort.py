"""Sorting along an axis: stable bottom-up merges of positions; of few that are wanted, those that may be among them."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from mlconv.codegen.kernels.kind import Written
from mlconv.codegen.kernels.routines.code import BOOL, I32, I64, Code, Num, Step
from mlconv.codegen.kernels.routines.few_of_rows import first_of_rows, lanes_of
from mlconv.codegen.kernels.routines.ranks import by_counts, by_digits, digits_of, entry, position_of
from mlconv.codegen.kernels.routines.sorted_rows import Less, Rows, before
from mlconv.codegen.kernels.routines.threshold import BLOCK, may_come, reaching, takes
from mlconv.codegen.llvm.types import Value
from mlconv.dialects.kernel import SLOTS, known
from mlconv.dialects.kernel.routines import COUNTED, COUNTS, TopK
from mlconv.ir.dtypes import DType
from mlconv.ir.estimates import estimate

_PARTS = SLOTS  # of a long row, a power of two
_STEP_NS = 3.0  # of an element in a pass
_FEW_NS = 1.0  # of an element of rows that are done at once
_RANKED = 3  # such passes, of rows that are sorted by ranks
_INSERTED = 8  # so few are held in order at each step
_BLOCKS = frozenset({DType.F32, DType.F64} | {t for t in DType if t.is_int and t.bits >= 8})


def top_k(c: Code, p: Sequence[Value], given: TopK) -> Written:
    """See `TopK`: whole rows, each by one thread."""
    r, n, lanes = Rows(c, p, given), given.n, given.outer * given.inner
    first, last = c.shared(lanes, given.shares)
    rows = r.rows(c.first_share if given.shares > 1 else c.num(0))
    together = lanes_of(given, c.b.cpu)

    def lane(number: Num) -> None:
        if given.ranked:
            _ranked(c, rows[0], r, number)
            return
        if given.selects:
            order = _selected(c, rows[0], r, number)
        else:
            c.each(n, lambda j: c.store(rows[0], j, j.to(I32)))
            if isinstance(n, int):
                order = _merge_sort(c, rows, n, n, r.less(number))
            else:
                order = _merge_sort_of_any(c, rows[0], c.num(n), r.less(number))
        c.each(given.k, lambda j: r.put(number, j, c.load(order, I32, j)))

    def all_lanes() -> None:
        if together:
            first_of_rows(c, r, together, first, last)
        else:
            c.each(last, lane, first)

    if isinstance(n, int) and isinstance(given.k, int):
        all_lanes()
    else:
        c.when(c.num(n).ge(given.k), all_lanes)
    passes = 1 if given.selects else _RANKED if given.ranked else _passes(estimate(n)) + 1
    each = estimate(n) * (_FEW_NS if together else _STEP_NS * passes)
    return Written(given.shares, estimate(lanes) * each / given.shares)


def _ranked(c: Code, room: Value, r: Rows, lane: Num) -> None:
    """A row by ranks.  room: scratch memory."""
    n, k = r.given.n, r.given.k

    def short() -> None:
        places = by_counts(c, r, lane, c.num(n), room)
        c.each(k, lambda j: r.put(lane, j, c.load(places, I32, j)))

    def long() -> None:
        rows = room, c.address(room, I64, n)
        base = r.base(lane)
        c.each(n, lambda j: c.store(rows[0], j, entry(c, r, base, j)))
        found = by_digits(c, rows, c.address(room, I64, c.num(n) * 2), c.num(n), r.given.dtype)
        c.each(k, lambda j: r.put(lane, j, position_of(c, c.load(found, I64, j))))

    if isinstance(n, int):
        (short if n <= COUNTED else long)()
        return
    c.when(c.num(n).le(COUNTED), short)
    c.when(c.num(n).gt(COUNTED), long)


def _selected(c: Code, rows: Value, r: Rows, lane: Num) -> Value:
    """The order of a row, as far as it is wanted.  rows: two of `room` positions."""
    given = r.given
    if isinstance(given.k, int) and given.k <= _INSERTED:
        return _inserted(c, rows, r, lane, given.k)
    if not takes(given):
        return _first_of(c, rows, r, lane)
    found = reaching(c, r.at(lane, c.num(0)), rows, given)

    def sort() -> Sequence[Num]:
        start = _sorted_at(c, rows, found, r.less(lane))
        c.each(given.k, lambda j: c.store(rows, j, c.load(rows, I32, start + j)))
        return []

    def hold() -> Sequence[Num]:
        _first_of(c, rows, r, lane)
        return []

    c.choose(found.ge(given.k) & found.le(given.room), sort, hold, [])
    return rows


def _first_of(c: Code, rows: Value, r: Rows, lane: Num) -> Value:
    """The same in one pass.

    The first k so far are held in order, and positions behind them that come before the worst of these; where there is
    no room for more, they are sorted and merged.
    """
    given, key, less = r.given, r.key(lane), r.less(lane)
    k, room = known((given.k, given.room))
    dtypes = (DType.I64, I32 if given.dtype is BOOL else given.dtype)

    def merged(count: Num) -> None:
        """The first k of those held and of `count` more."""
        start = _sorted_at(c, c.address(rows, I32, k), count, less) + k
        best = c.address(rows, I32, count * 2 + k)
        runs = c.num(0), c.num(k), start, start + count
        _merge(c, rows, runs, (c.num(0), c.num(k)), less, lambda out, at: c.store(best, out, at))
        c.each(k, lambda j: c.store(rows, j, c.load(best, I32, j)))

    def step(j: Num, more: Num, worst: Num) -> Sequence[Num]:
        def full() -> Sequence[Num]:
            merged(c.num(room - k))
            return [c.num(0), key(c.load(rows, I32, k - 1))]

        def kept() -> Sequence[Num]:
            c.store(rows, more + k, j.to(I32))
            return c.choose(more.eq(room - k - 1), full, lambda: [more + 1, worst], dtypes)

        return c.choose(before(c, key(j), worst, given.largest), kept, lambda: [more, worst], dtypes)

    def block(first: Num, more: Num, worst: Num) -> Sequence[Num]:
        def by_one() -> Sequence[Num]:
            return c.fold(first + BLOCK, [more, worst], step, start=first)

        return c.choose(may_come(c, r.at(lane, first), worst, given), by_one, lambda: [more, worst], dtypes)

    c.each(k, lambda j: c.store(rows, j, j.to(I32)))
    order = _merge_sort_of_any(c, rows, c.num(k), less)
    c.each(k, lambda j: c.store(rows, j, c.load(order, I32, j)))
    carried, start = [c.num(0), key(c.load(rows, I32, k - 1))], c.num(k)
    if given.inner == 1 and given.dtype in _BLOCKS:
        stop = start + c.raw("and", c.num(given.n) - k, -BLOCK)
        carried, start = c.fold(stop, carried, block, start=start, step=BLOCK), stop
    more, _ = c.fold(given.n, carried, step, start=start)
    merged(more)
    return rows


def _inserted(c: Code, rows: Value, r: Rows, lane: Num, k: int) -> Value:
    """The same for few: each position that comes before the worst so far goes to its place among the k."""
    given, key = r.given, r.key(lane)
    dtype = I32 if given.dtype is BOOL else given.dtype

    def insert(j: Num, end: Num) -> None:
        """Behind those that come before it or are equal, which have lower places.  end: where it may stand at most."""
        value = key(j)

        def earlier(at: Num) -> Num:
            return at.gt(0) & before(c, value, key(c.load(rows, I32, (at - 1).max(0))), given.largest)

        def shift(at: Num) -> Sequence[Num]:
            c.store(rows, at, c.load(rows, I32, at - 1))
            return [at - 1]

        (place,) = c.repeat([end], earlier, shift)
        c.store(rows, place, j.to(I32))

    def step(j: Num, worst: Num) -> Sequence[Num]:
        def better() -> Sequence[Num]:
            insert(j, c.num(k - 1))
            return [key(c.load(rows, I32, k - 1))]

        return c.choose(before(c, key(j), worst, given.largest), better, lambda: [worst], (dtype,))

    def block(first: Num, worst: Num) -> Sequence[Num]:
        def by_one() -> Sequence[Num]:
            return c.fold(first + BLOCK, [worst], step, start=first)

        return c.choose(may_come(c, r.at(lane, first), worst, given), by_one, lambda: [worst], (dtype,))

    c.store(rows, 0, c.num(0, I32))  # `earlier` reads the first one, too, where there is none to compare
    c.each(k, lambda j: insert(j, j), 1)
    worst, start = key(c.load(rows, I32, k - 1)), c.num(k)
    if given.inner == 1 and given.dtype in _BLOCKS:
        stop = start + c.raw("and", c.num(given.n) - k, -BLOCK)
        (worst,), start = c.fold(stop, [worst], block, start=start, step=BLOCK), stop
    c.fold(given.n, [worst], step, start=start)
    return rows


def top_k_pieces(given: TopK) -> list[Step]:
    """Few long rows: parts of them are sorted, then merged by twos, each merge in parts again."""
    if not given.in_parts:
        return [Step()]
    merges = [1 << i for i in range(_PARTS.bit_length() - 1)]
    return [Step("top_k_parts"), *(Step("top_k_merge", runs) for runs in merges)]


def top_k_parts(c: Code, p: Sequence[Value], given: TopK) -> Written:
    """Each of the parts of all rows."""
    n, lanes = known((given.n, given.outer * given.inner))
    r, most, items = Rows(c, p, given), -(-n // _PARTS), lanes * _PARTS
    first, last = c.shared(items, items)

    def part(item: Num) -> None:
        lane, number = c.raw("udiv", item, _PARTS), c.raw("urem", item, _PARTS)
        begin = _border(c, number, n)
        count = _border(c, number + 1, n) - begin
        if given.ranked:
            base, counts = r.base(lane), c.address(r.entries(lane)[1], I64, n)
            rows = tuple(c.address(row, I64, begin) for row in r.entries(lane))
            c.each(count, lambda j: c.store(rows[0], j, entry(c, r, base, begin + j)))
            by_digits(c, (rows[0], rows[1]), c.address(counts, I32, number * COUNTS), count, given.dtype)
            return
        rows = tuple(c.address(row, I32, begin) for row in r.rows(lane))
        c.each(count, lambda j: c.store(rows[0], j, (begin + j).to(I32)))
        _merge_sort(c, (rows[0], rows[1]), count, most, r.less(lane))

    c.each(last, part, first)
    passes = _RANKED if given.ranked else _passes(most) + 1
    return Written(items, most * passes * _STEP_NS)


def top_k_merge(c: Code, p: Sequence[Value], given: TopK, runs: int) -> Written:
    """Merges neighbours of `runs` parts each; the last merge makes the result."""
    n, lanes = known((given.n, given.outer * given.inner))
    r, shares, items = Rows(c, p, given), 2 * runs, lanes * _PARTS
    first, last = c.shared(items, items)
    passes = digits_of(given.dtype) if given.ranked else _passes(-(-n // _PARTS))
    turned, dtype = (passes + runs.bit_length() - 1) % 2, I64 if given.ranked else I32

    def part(item: Num) -> None:
        lane, number = c.raw("udiv", item, _PARTS), c.raw("urem", item, _PARTS)
        merge, share = c.raw("udiv", number, shares) * shares, c.raw("urem", number, shares)
        low, middle, high = (_border(c, merge + k, n) for k in (0, runs, shares))
        rows, less = (r.entries(lane), Num.lt) if given.ranked else (r.rows(lane), r.less(lane))
        source, target = rows[turned], rows[1 - turned]
        total = c.num(given.k) if shares == _PARTS else high - low
        begin, end = (c.raw("udiv", total * k, shares) for k in (share, share + 1))
        left = _taken(c, source, (low, middle, high), begin, less, dtype)

        def put(out: Num, at: Num) -> None:
            if shares == _PARTS:
                r.put(lane, out, position_of(c, at) if given.ranked else at)
            else:
                c.store(target, low + out, at)

        _merge(c, source, (low + left, middle, middle + (begin - left), high), (begin, end), less, put, dtype)

    c.each(last, part, first)
    return Written(items, 2 * n / _PARTS * _STEP_NS)


def _border(c: Code, number: Num, n: int) -> Num:
    """Where a part of a row begins."""
    return c.raw("udiv", number * n, _PARTS)


def _taken(c: Code, row: Value, runs: tuple[Num, Num, Num], count: Num, less: Less, dtype: DType) -> Num:
    """How many of the first `count` merged positions come from the first of two neighbouring runs, by bisection; of
    equals those of the first run come first.
    """
    low, middle, high = runs
    least, most = (count - (high - middle)).max(0), count.min(middle - low)

    def step(least: Num, most: Num) -> Sequence[Num]:
        at = c.raw("lshr", least + most, 1)
        one, other = c.load(row, dtype, low + at), c.load(row, dtype, middle + (count - at) - 1)
        later = less(other, one)
        return [c.where(later, least, at + 1), c.where(later, at, most)]

    return c.repeat([least, most], lambda least, most: least.lt(most), step)[0]


def _merge_sort(c: Code, rows: tuple[Value, Value], count: Num | int, most: int, less: Less) -> Value:
    """Sort `count` positions in rows[0], at most `most`; returns the row that holds the result.  less(a, b): strict
    order of two positions.
    """
    source, target, width = rows[0], rows[1], 1
    while width < most:
        _pass(c, source, target, count, width, less)
        source, target, width = target, source, width * 2
    return source


def _merge_sort_of_any(c: Code, rows: Value, count: Num, less: Less) -> Value:
    """The same for a number of positions that is known at run time.  rows: two of as many."""
    return c.address(rows, I32, _sorted_at(c, rows, count, less))


def _sorted_at(c: Code, rows: Value, count: Num, less: Less) -> Num:
    """Where in the rows the sorted positions begin."""

    def row(number: Num) -> Value:
        return c.address(rows, I32, number * count)

    def step(width: Num, turned: Num) -> Sequence[Num]:
        _pass(c, row(turned), row(1 - turned), count, width, less)
        return [width * 2, 1 - turned]

    return c.repeat([c.num(1), c.num(0)], lambda width, _: width.lt(count), step)[1] * count


def _passes(most: int) -> int:
    """How often rows change places."""
    return max(0, most - 1).bit_length()


def _pass(c: Code, source: Value, target: Value, count: Num | int, width: Num | int, less: Less) -> None:
    """Merge neighbouring runs of `width`."""

    def pair(run: Num) -> None:
        low = run * (width * 2)
        middle, high = (low + width).min(count), (low + width * 2).min(count)
        _merge(c, source, (low, middle, middle, high), (low, high), less, lambda out, at: c.store(target, out, at))

    if isinstance(count, int) and isinstance(width, int):
        c.each(-(-count // (2 * width)), pair)
    else:
        c.each(c.raw("udiv", c.num(count) + (width * 2 - 1), width * 2), pair)


def _merge(
    c: Code,
    source: Value,
    runs: tuple[Num, Num, Num, Num],
    places: tuple[Num, Num],
    less: Less,
    put: Callable[[Num, Num], None],
    dtype: DType = I32,
) -> None:
    """put(place, entry) for some places of two merged runs.  runs: first and end of each.  dtype: of what they have."""
    (first, end, start, stop), (place, limit) = runs, places

    def both(out: Num, left: Num, right: Num) -> Num:
        return out.lt(limit) & left.lt(end) & right.lt(stop)

    def step(out: Num, left: Num, right: Num) -> Sequence[Num]:
        one, other = c.load(source, dtype, left), c.load(source, dtype, right)
        later = less(other, one)
        put(out, c.where(later, other, one))
        taken = later.to(I64)
        return [out + 1, left + (1 - taken), right + taken]

    out, left, right = c.repeat([place, first, start], both, step)
    from_left = left.lt(end)
    rest = c.where(from_left, left, right) - out
    c.each(limit, lambda at: put(at, c.load(source, dtype, rest + at)), out)


GENERATORS = {"top_k": top_k}
STEPS = {"top_k_parts": top_k_parts, "top_k_merge": top_k_merge}
PIECES = {"top_k": top_k_pieces}
