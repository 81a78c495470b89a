"""The order of samples, written from docs/order.md alone. Slow; the oracle of the golden files."""

MASK = 2**64 - 1
STEP = 0x9E3779B97F4A7C15


def mix(x):
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9 & MASK
    x = (x ^ (x >> 27)) * 0x94D049BB133111EB & MASK
    return x ^ (x >> 31)


def combine(h, v):
    return mix((h + STEP + mix(v)) & MASK)


def scale(h, bound):
    return h * bound >> 64


def permute(x, n, key):
    low_size = 2 ** ((n - 1).bit_length() // 2)
    high_size = (n - 1) // low_size + 1
    while True:
        high, low = divmod(x, low_size)
        for r in range(24 if n < 64 else 8):
            if r % 2 == 0:
                low = (low + scale(mix((key + r * STEP + high) & MASK), low_size)) % low_size
            else:
                high = (high + scale(mix((key + r * STEP + low) & MASK), high_size)) % high_size
        x = high * low_size + low
        if x < n:
            return x


class Epoch:
    def __init__(self, sizes, shuffle, window, lanes, seed, epoch):
        self.n = sum(sizes)
        self.shuffle = "global" if shuffle == "window" and window >= self.n else shuffle
        key = combine(seed, epoch)
        shard_key, self.offset_key, self.window_key = (combine(key, use) for use in (1, 2, 3))
        if self.shuffle != "window":
            return
        self.lanes = min(lanes, self.n)
        self.w = max(1, window // self.lanes)
        shards = [permute(k, len(sizes), shard_key) for k in range(len(sizes))]
        self.runs = [(sum(sizes[:s]), sizes[s]) for s in shards]

    def sample(self, i):
        if self.shuffle == "none":
            return i
        if self.shuffle == "global":
            return permute(i, self.n, combine(self.window_key, 0))
        j, lane = divmod(i, self.lanes)
        q, m = divmod(self.n, self.lanes)
        length = q + 1 if lane < m else q
        offset = scale(combine(self.offset_key, lane), self.w)
        number = (j + offset) // self.w
        start = max(0, number * self.w - offset)
        end = min(length, (number + 1) * self.w - offset)
        key = combine(self.window_key, number * self.lanes + lane)
        place = lane * q + min(lane, m) + start + permute(j - start, end - start, key)
        for first, size in self.runs:
            if place < size:
                return first + place
            place -= size


def batches(n, batch_size, world, rank, last, first_position):
    """The positions of every batch of one rank."""
    g = batch_size * world
    left = n - first_position
    out = []
    for b in range(left // g if last == "drop" else -(-left // g)):
        begin = first_position + b * g
        xs = [begin + (rank - begin) % world + i * world for i in range(batch_size)]
        out.append([x for x in xs if x < n] if last == "keep" else [x % n for x in xs])
    return out


def deal(turn, weights):
    """The dataset whose turn it is, and which of its turns."""
    total = sum(weights)
    fixed = [max(1, int(weight / total * 2**32 + 0.5)) for weight in weights]
    x = turn
    for k in range(len(weights) - 1):
        rest = sum(fixed[k:])
        own, after = ((y * fixed[k] + rest // 2) // rest for y in (x, x + 1))
        if after > own:
            return k, own
        x -= own
    return len(weights) - 1, x


class Sequence:
    """Datasets that are mixed, repeated and cut: `make(pass)` gives the Epoch of a pass."""

    def __init__(self, makers, weights=(1,), until="first", repeat=1, skip=0, take=None):
        self.makers, self.weights, self.skip = makers, weights, skip
        self.sizes = [make(0).n for make in makers]
        turns = 0
        through = [0] * len(makers)
        while not (any if until == "first" else all)(
            count >= size for count, size in zip(through, self.sizes, strict=True)
        ):
            through[deal(turns, weights)[0]] += 1
            turns += 1
        self.period = turns * repeat
        left = self.period - skip
        self.n = left if take is None else min(left, take)

    def pick(self, epoch, i):
        """Sample number and pass."""
        k, turn = deal(epoch * self.period + self.skip + i, self.weights)
        number, position = divmod(turn, self.sizes[k])
        return sum(self.sizes[:k]) + self.makers[k](number).sample(position), number
