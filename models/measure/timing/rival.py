"""A network of the layers of YOLO11n with random weights, for timing only: speed does not depend on weights.

Layers and widths as in the published description (`yolo11.yaml`, scale n: depth 0.50, width 0.25, 80
classes), batch norms folded into the convolutions, boxes decoded, doubles not yet suppressed.
Its count of values is that of the published fused model: 2,616,248.
"""

from pathlib import Path
from typing import Final

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

CLASSES: Final = 80
_BOX_BINS: Final = 16
OPSET: Final = 18
_IR: Final = 10
SEED: Final = 11


class Net:
    """Adds layers to a graph; a tensor is its name, `channels` and `size` tell its shape."""

    def __init__(self, width: int, height: int) -> None:
        """An input of 1 x 3 x height x width."""
        self.nodes: list[onnx.NodeProto] = []
        self.weights: list[onnx.TensorProto] = []
        self.channels = {"images": 3}
        self.size = {"images": (height, width)}
        self.values = 0
        self.multiplications = 0
        self._rng = np.random.default_rng(SEED)

    def op(self, kind: str, inputs: list[str], channels: int, scale: float = 1, **attributes: object) -> str:
        """Any layer; the size of the first input times `scale`."""
        name = f"t{len(self.nodes)}"
        self.nodes.append(helper.make_node(kind, inputs, [name], **attributes))
        self.channels[name] = channels
        height, width = self.size[inputs[0]]
        self.size[name] = (round(height * scale), round(width * scale))
        return name

    def constant(self, value: np.ndarray) -> str:
        """A tensor of fixed values."""
        name = f"w{len(self.weights)}"
        self.weights.append(numpy_helper.from_array(value, name))
        return name

    def plain(self, x: str, out: int, kernel: int, stride: int = 1, groups: int = 1) -> str:
        """A convolution with its bias."""
        inside = self.channels[x] // groups
        shape = (out, inside, kernel, kernel)
        weight = self._rng.normal(0, (inside * kernel * kernel) ** -0.5, shape).astype(np.float32)
        names = [x, self.constant(weight), self.constant(np.zeros(out, np.float32))]
        y = self.op(
            "Conv",
            names,
            out,
            1 / stride,
            strides=[stride, stride],
            pads=[kernel // 2] * 4,
            group=groups,
            kernel_shape=[kernel, kernel],
        )
        self.values += weight.size + out
        self.multiplications += weight.size * self.size[y][0] * self.size[y][1]
        return y

    def conv(self, x: str, out: int, kernel: int, stride: int = 1, groups: int = 1) -> str:
        """A convolution and SiLU."""
        y = self.plain(x, out, kernel, stride, groups)
        gate = self.op("Sigmoid", [y], out)
        return self.op("Mul", [y, gate], out)

    def cat(self, parts: list[str]) -> str:
        """Channels of several tensors side by side."""
        return self.op("Concat", parts, sum(self.channels[part] for part in parts), axis=1)

    def split(self, x: str, sizes: list[int], axis: int) -> list[str]:
        """Parts of a tensor along an axis; each counts as many channels as its size there."""
        names = [f"t{len(self.nodes)}_{part}" for part in range(len(sizes))]
        parts = self.constant(np.array(sizes, np.int64))
        self.nodes.append(helper.make_node("Split", [x, parts], names, axis=axis))
        for name, size in zip(names, sizes, strict=True):
            self.channels[name], self.size[name] = size, self.size[x]
        return names

    def halves(self, x: str) -> list[str]:
        """The two halves of the channels."""
        return self.split(x, [self.channels[x] // 2] * 2, 1)

    def bottleneck(self, x: str, out: int, share: float) -> str:
        """Two 3 x 3 convolutions beside a shortcut."""
        y = self.conv(self.conv(x, int(out * share), 3), out, 3)
        return self.op("Add", [x, y], out)

    def c3k(self, x: str, out: int) -> str:
        """Two bottlenecks beside a 1 x 1 path, all at half the width."""
        half = out // 2
        y = self.conv(x, half, 1)
        for _ in range(2):
            y = self.bottleneck(y, half, 1.0)
        return self.conv(self.cat([y, self.conv(x, half, 1)]), out, 1)

    def c3k2(self, x: str, out: int, deep: bool, share: float = 0.5) -> str:
        """Split, one block on the second half, all joined."""
        width = int(out * share)
        first, second = self.halves(self.conv(x, 2 * width, 1))
        third = self.c3k(second, width) if deep else self.bottleneck(second, width, 0.5)
        return self.conv(self.cat([first, second, third]), out, 1)

    def sppf(self, x: str) -> str:
        """Three poolings in a row, joined."""
        parts = [self.conv(x, self.channels[x] // 2, 1)]
        for _ in range(3):
            pooled = self.op(
                "MaxPool",
                [parts[-1]],
                self.channels[parts[0]],
                kernel_shape=[5, 5],
                pads=[2, 2, 2, 2],
                strides=[1, 1],
            )
            parts.append(pooled)
        return self.conv(self.cat(parts), self.channels[x], 1)

    def shaped(self, x: str, shape: list[int]) -> str:
        """The same values in another shape."""
        return self.op("Reshape", [x, self.constant(np.array(shape, np.int64))], self.channels[x])

    def attention(self, x: str) -> str:
        """Self-attention over all places, in heads of 64 channels with keys of 32."""
        channels, (height, width) = self.channels[x], self.size[x]
        heads, places = channels // 64, height * width
        packed = self.shaped(self.plain(x, 2 * channels, 1), [1, heads, 128, places])
        query, key, value = self.split(packed, [32, 32, 64], 2)
        turned = self.op("Transpose", [query], channels, perm=[0, 1, 3, 2])
        raw = self.op("MatMul", [turned, key], channels)
        scale = self.constant(np.array(32**-0.5, np.float32))
        weights = self.op("Softmax", [self.op("Mul", [raw, scale], channels)], channels, axis=-1)
        back = self.op("Transpose", [weights], channels, perm=[0, 1, 3, 2])
        seen = self.shaped(self.op("MatMul", [value, back], channels), [1, channels, height, width])
        flat = self.shaped(value, [1, channels, height, width])
        self.channels[flat] = channels
        place = self.plain(flat, channels, 3, groups=channels)
        self.multiplications += places * places * heads * (32 + 64)
        return self.plain(self.op("Add", [seen, place], channels), channels, 1)

    def c2psa(self, x: str) -> str:
        """Attention and a small feed-forward part on half of the channels."""
        channels = self.channels[x]
        first, second = self.halves(self.conv(x, channels, 1))
        second = self.op("Add", [second, self.attention(second)], channels // 2)
        forward = self.plain(self.conv(second, channels, 1), channels // 2, 1)
        second = self.op("Add", [second, forward], channels // 2)
        return self.conv(self.cat([first, second]), channels, 1)

    def up(self, x: str) -> str:
        """Twice the size, nearest."""
        scales = self.constant(np.array([1, 1, 2, 2], np.float32))
        return self.op("Resize", [x, "", scales], self.channels[x], 2, mode="nearest")

    def boxes(self, x: str, width: int) -> str:
        """The box branch of one scale: 1 x 64 x places."""
        y = self.plain(self.conv(self.conv(x, width, 3), width, 3), 4 * _BOX_BINS, 1)
        return self.shaped(y, [1, 4 * _BOX_BINS, -1])

    def scores(self, x: str, width: int) -> str:
        """The class branch of one scale: 1 x 80 x places."""
        y = self.conv(self.conv(x, self.channels[x], 3, groups=self.channels[x]), width, 1)
        y = self.conv(self.conv(y, width, 3, groups=width), width, 1)
        return self.shaped(self.plain(y, CLASSES, 1), [1, CLASSES, -1])

    def detect(self, scales: list[str]) -> list[str]:
        """Boxes as distances to four sides, and class probabilities, of all places."""
        wide = max(16, self.channels[scales[0]] // 4, 4 * _BOX_BINS)
        classes = max(self.channels[scales[0]], min(CLASSES, 100))
        boxes = self.op("Concat", [self.boxes(x, wide) for x in scales], 64, axis=2)
        scores = self.op("Concat", [self.scores(x, classes) for x in scales], CLASSES, axis=2)
        bins = self.op("Softmax", [self.shaped(boxes, [1, 4, _BOX_BINS, -1])], 64, axis=2)
        steps = self.constant(np.arange(_BOX_BINS, dtype=np.float32).reshape(1, 1, _BOX_BINS, 1))
        self.values += _BOX_BINS
        axes = self.constant(np.array([2], np.int64))
        sides = self.op("ReduceSum", [self.op("Mul", [bins, steps], 64), axes], 4, keepdims=0)
        return [sides, self.op("Sigmoid", [scores], CLASSES)]


def build(width: int, height: int) -> tuple[onnx.ModelProto, Net]:
    """The model for pictures of that size (multiples of 32), and the net with its counts."""
    net = Net(width, height)
    x = net.conv(net.conv("images", 16, 3, 2), 32, 3, 2)
    x = net.conv(net.c3k2(x, 64, False, 0.25), 64, 3, 2)
    fine = net.c3k2(x, 128, False, 0.25)
    middle = net.c3k2(net.conv(fine, 128, 3, 2), 128, True)
    x = net.c3k2(net.conv(middle, 256, 3, 2), 256, True)
    coarse = net.c2psa(net.sppf(x))
    middle = net.c3k2(net.cat([net.up(coarse), middle]), 128, False)
    fine = net.c3k2(net.cat([net.up(middle), fine]), 64, False)
    middle = net.c3k2(net.cat([net.conv(fine, 64, 3, 2), middle]), 128, False)
    coarse = net.c3k2(net.cat([net.conv(middle, 128, 3, 2), coarse]), 256, True)
    outputs = net.detect([fine, middle, coarse])
    picture = helper.make_tensor_value_info("images", TensorProto.FLOAT, [1, 3, height, width])
    places = sum(net.size[scale][0] * net.size[scale][1] for scale in (fine, middle, coarse))
    results = [
        helper.make_tensor_value_info(name, TensorProto.FLOAT, [1, rows, places])
        for name, rows in zip(outputs, (4, CLASSES), strict=True)
    ]
    graph = helper.make_graph(net.nodes, "rival", [picture], results, net.weights)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", OPSET)], ir_version=_IR)
    onnx.checker.check_model(model)
    return model, net


def write(path: Path, width: int, height: int) -> Net:
    """Writes the model; the counts say how large it is."""
    model, net = build(width, height)
    onnx.save(model, str(path))
    return net
