def tried(call):
    try:
        print(call())
    except Exception as error:
        print(f"{type(error).__name__}: {str(error).splitlines()[0]}")


scores = torch.tensor([0.5, -1.0, 2.0], requires_grad=True)
for kind in (torch.float64, torch.float32, torch.float16, torch.int64, torch.bool):
    for options in (
        dict(),
        dict(reduction="none"),
        dict(pos_weight=torch.ones(3).double()),
        dict(weight=torch.ones(3).double()),
    ):
        scores.grad = None

        def loss():
            found = torch.nn.functional.binary_cross_entropy_with_logits(
                scores, torch.tensor([1, 0, 1]).to(kind), **options
            )
            found.sum().backward()
            return found, scores.grad

        tried(loss)
target = torch.tensor([1.0, 0.0, 1.0], requires_grad=True)
loss = torch.nn.functional.binary_cross_entropy_with_logits(scores.detach().double(), target)
loss.backward()
print(loss.dtype, target.grad)
tried(lambda: torch.nn.functional.binary_cross_entropy_with_logits(torch.tensor([1, 0, 1]), target))
tried(lambda: torch.nn.functional.soft_margin_loss(scores, target))


# ---
def tried(call):
    try:
        print(call())
    except Exception as error:
        print(f"{type(error).__name__}: {str(error).splitlines()[0]}")


whole, part = torch.tensor([1, 5]), torch.tensor([1.0, 5.0])
for kind in (torch.float32, torch.int64, torch.float64, torch.bool):
    for values in (whole, part):
        tried(lambda: torch.clamp(values, 0, 3, out=torch.empty(0, dtype=kind)))
        tried(lambda: torch.clamp_min(values, 2, out=torch.empty(0, dtype=kind)))
        tried(lambda: torch.clamp(values, torch.tensor(2), out=torch.empty(0, dtype=kind)))
tried(lambda: torch.igamma(whole, whole))
tried(lambda: torch.igammac(whole, whole))
tried(lambda: torch.igamma(part, whole))
print(torch.nn.functional.one_hot(whole)._version, torch.isclose(part, part)._version)
print(torch.quantile(part, 0.5)._version, torch.nanquantile(part, 0.5)._version)


# ---
def tried(call):
    try:
        print(call())
    except Exception as error:
        print(f"{type(error).__name__}: {str(error).splitlines()[0]}")


for y in (torch.ones(0), torch.ones(1), torch.ones(3, 0), torch.ones(0, 3), torch.tensor(1.0)):
    for dim in (-1, 0, 1):
        tried(lambda: torch.trapezoid(y, dim=dim))
        tried(lambda: torch.cumulative_trapezoid(y, dim=dim))
for dx in (1j, True, 2, 0.5):
    tried(lambda: torch.trapezoid(torch.ones(3), dx=dx))
    tried(lambda: torch.cumulative_trapezoid(torch.ones(3), dx=dx))
tried(lambda: torch.cumulative_trapezoid(torch.ones(2, 3), torch.ones(4)))
# ---
x = torch.tensor([[[1 + 1j, 2.0, 3.0]]], requires_grad=True)
w, b = torch.tensor([[[1.0, 0.5j]]], requires_grad=True), torch.tensor([1 + 2j], requires_grad=True)
for y in (torch.nn.functional.conv1d(x, w, b), torch.nn.functional.conv_transpose1d(x, w, b)):
    node = y.grad_fn
    print(
        node.name(),
        node.next_functions[0][0].name(),
        [n.name() for n, _ in node.next_functions[0][0].next_functions],
    )
    y.abs().sum().backward()
    print(y, b.grad)
# ---
images = torch.arange(9.0).reshape(1, 1, 3, 3)
for padding in ("zeros", "border", "reflection"):
    for corners in (True, False):
        grid = torch.tensor(
            [[[[-1.0, -1.0], [1.0, 1.0]], [[0.5, -1.0], [0.25, 1.0]], [[0.1, -0.3], [-0.6, 0.2]]]], requires_grad=True
        )
        torch.nn.functional.grid_sample(images, grid, padding_mode=padding, align_corners=corners).sum().backward()
        print(grid.grad)
