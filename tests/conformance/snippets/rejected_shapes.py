def tried(call):
    try:
        found = call()
        print(found if isinstance(found, torch.Tensor) else type(found).__name__)
    except Exception as error:
        print(f"{type(error).__name__}: {str(error).splitlines()[0]}")


F = torch.nn.functional
line, image, volume = torch.ones(1, 1, 4), torch.ones(1, 1, 4, 3), torch.ones(0, 1, 49, 50)
for options in (
    dict(padding=-1),
    dict(padding=4),
    dict(stride=0),
    dict(stride=-1),
    dict(dilation=0),
    dict(padding=(1, 1)),
):
    tried(lambda: F.max_pool1d(line, 2, **options))
    tried(lambda: F.max_pool1d(line, 2, return_indices=True, **options))
    tried(lambda: F.max_pool1d(line[:, :0], 2, return_indices=True, **options))
for options in (dict(padding=-1), dict(padding=4), dict(stride=0), dict(stride=-1), dict()):
    tried(lambda: F.avg_pool3d(volume, 2, **options))
    tried(lambda: F.max_pool3d(volume, 2, **options))
flat, kernel = torch.ones(1, 2, 2), torch.ones(1, 1, 2, 2)
for padding in ("same", "valid", 0):
    tried(lambda: F.conv2d(image, flat, padding=padding))
    tried(lambda: F.conv2d(image, kernel, padding=padding, stride=(1, 1, 1)))
    tried(lambda: F.conv2d(image, kernel, padding=padding, dilation=0))
    tried(lambda: F.conv2d(image, kernel, padding=padding, groups=0))
    tried(lambda: F.conv1d(line, kernel[0], padding=padding, dilation=0))
tried(lambda: F.conv_transpose2d(image, kernel, dilation=0))


# ---
def tried(call):
    try:
        print(call())
    except Exception as error:
        print(f"{type(error).__name__}: {str(error).splitlines()[0]}")


scores, classes = torch.ones(5, 4), torch.ones(5).long()
for target in (classes, classes.float(), classes.int()):
    for weight in (None, torch.ones(5), torch.ones(4).double()):
        tried(lambda: torch.nn.functional.multi_margin_loss(scores, target, weight=weight))
for kind in (torch.int64, torch.int32, torch.uint8, torch.float32, torch.bool):
    for row in ((0, 4, 0.5), (0, 4.9), (-2.5, 2.5, 1.7), (0, 4, 0)):
        tried(lambda: torch.arange(*row, dtype=kind))
        tried(lambda: torch.arange(*row, out=torch.empty(0, dtype=kind)))
kinds = (torch.float32, torch.float64, torch.int64)
for first in kinds:
    for second in kinds:
        if first is not second:
            tried(lambda: torch.complex(torch.ones(2, dtype=first), torch.ones(2, dtype=second)))
            tried(lambda: torch.polar(torch.ones(2, dtype=first), torch.ones(2, dtype=second)))
cube = torch.ones(2, 3, 4)
for place in ((3, 0, 0), (-4, 0, 0), (0, 0, -1), (0, 1, 2)):
    tried(lambda: cube.narrow_copy(*place))
    tried(lambda: cube.narrow(*place))
empty = torch.empty(0)
tried(lambda: torch.cat([empty, torch.ones(2, 3)], 0, out=empty))


# ---
def tried(call):
    try:
        print(tuple(call().shape))
    except Exception as error:
        print(f"{type(error).__name__}: {str(error).splitlines()[0]}")


ones = torch.ones
for shapes in (
    ((5, 3), (2,), (5, 5)),
    ((5, 7), (7,), (5, 5)),
    ((5, 3), (2,), (4, 5)),
    ((5, 3), (), (5, 5)),
    ((5, 3), (3,), (5, 5)),
):
    tried(lambda: torch.ormqr(*map(ones, shapes)))
    tried(lambda: torch.ormqr(*map(ones, shapes), left=False))
chunks = [
    ([(2, 3), (4,)], -1),
    ([(2, 3), (4,)], 1),
    ([(2, 3), (4, 3)], 1),
    ([(2, 3), (2, 4)], 2),
    ([(2, 3), (0, 3)], 0),
    ([(2, 3), (2, 5)], -1),
]
for shapes, dim in chunks:
    tried(lambda: torch._chunk_cat(list(map(ones, shapes)), dim, 3))
tried(lambda: torch._chunk_cat([ones(2), ones(2).double()], 0, 2))


# ---
def tried(call):
    try:
        print(call())
    except Exception as error:
        print(f"{type(error).__name__}: {str(error).splitlines()[0]}")


ones = torch.ones
for bins in (0, ones(2, 2), ones(3).double(), ones(0)):
    tried(lambda: torch.histogram(ones(3), bins=bins))
tried(lambda: torch.histogram(ones(3), bins=2, range=(0.0, 1.0, 2.0)))
tried(lambda: torch.histogram(ones(3), bins=2, range=(2.0, 1.0)))
tried(lambda: torch.histogram(ones(3), bins=2, weight=ones(2)))
tried(lambda: torch.histogram(ones(3) * float("inf"), bins=2))
tried(lambda: torch.histogram(ones(3).long(), bins=2))
for bins in ([1, 1, 1], [0, 1], [ones(2)], [ones(2), ones(2).double()], [ones(2), ones(2, 2)], [ones(0), ones(2)], 2):
    tried(lambda: torch.histogramdd(ones(3, 2), bins=bins))
for values in (ones(3), torch.tensor(3.0), ones(0, 2)):
    tried(lambda: torch.histogramdd(values, bins=2))
tried(lambda: torch.histogramdd(ones(3, 2), bins=2, weight=ones(2)))
