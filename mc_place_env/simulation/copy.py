"""Block copies between the record of an environment and a row of a buffer.

LLVM leaves such byte loops scalar, since source and destination may alias; unaligned 8-byte moves are 10 times faster.
With the JIT off the plain loops do the same and are the reference of the tests.
"""

import numba
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic


def copy_loop(destination, to, source, start, count):
    """flat(destination)[to : to + count] = source[start : start + count], one element at a time."""
    flat = destination.reshape(-1)
    for k in range(count):
        flat[to + k] = source[start + k]


@intrinsic
def _copy_items(typingctx, destination, to, source, start, count):
    signature = types.void(destination, types.intp, source, types.intp, types.intp)

    def codegen(context, builder, signature, args):
        destination_type, _, source_type, _, _ = signature.args
        destination, to, source, start, count = args
        make = context.make_array
        to_array, from_array = make(destination_type)(context, builder, destination), make(source_type)(context, builder, source)
        target, origin = builder.gep(to_array.data, [to]), builder.gep(from_array.data, [start])
        size = context.get_abi_sizeof(context.get_data_type(source_type.dtype))
        _emit_copy(builder, target, origin, builder.mul(count, count.type(size)))
        return context.get_dummy_value()

    return signature, codegen


def _emit_copy(builder, target, origin, n_bytes):
    """From 8 bytes on: whole words, then one that ends with the last byte and may overlap; else byte by byte."""
    byte, word = ir.IntType(8), ir.IntType(64)
    target, origin = builder.bitcast(target, byte.as_pointer()), builder.bitcast(origin, byte.as_pointer())
    zero, eight = n_bytes.type(0), n_bytes.type(8)
    with builder.if_else(builder.icmp_signed(">=", n_bytes, eight)) as (long, short):
        with long:
            last = builder.sub(n_bytes, eight)
            with cgutils.for_range_slice(builder, zero, last, eight) as (at, _):
                _move(builder, target, origin, at, word)
            _move(builder, target, origin, last, word)
        with short, cgutils.for_range(builder, n_bytes) as loop:
            _move(builder, target, origin, loop.index, byte)


def _move(builder, target, origin, at, width):
    pointer = width.as_pointer()
    value = builder.load(builder.bitcast(builder.gep(origin, [at]), pointer), align=1)
    builder.store(value, builder.bitcast(builder.gep(target, [at]), pointer), align=1)


copy_items = copy_loop if numba.config.DISABLE_JIT else _copy_items
