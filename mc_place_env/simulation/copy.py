"""Block copies from the record of an environment into a row of a buffer, named by its address.

Two costs are avoided here. LLVM leaves byte loops scalar, since source and destination may alias: unaligned 8-byte
moves are 10 times faster. And an array handed to a compiled function costs two atomic operations: an address none.
With the JIT off, `ctypes.memmove` does the same.
"""

import ctypes

import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils, config
from numba.extending import intrinsic


def _move_items(address, source, start, count):
    size = source.itemsize
    ctypes.memmove(int(address), source.ctypes.data + int(start) * size, int(count) * size)


@intrinsic
def _copy_items(typingctx, address, source, start, count):
    signature = types.void(types.intp, source, types.intp, types.intp)

    def codegen(context, builder, signature, args):
        address, source, start, count = args
        array = context.make_array(signature.args[1])(context, builder, source)
        size = context.get_abi_sizeof(context.get_data_type(signature.args[1].dtype))
        target = builder.inttoptr(address, ir.IntType(8).as_pointer())
        _emit_copy(builder, target, builder.gep(array.data, [start]), builder.mul(count, count.type(size)))
        return context.get_dummy_value()

    return signature, codegen


def _emit_copy(builder, target, origin, n_bytes):
    """In words of 16 or 8 bytes, the last one ending with the last byte; byte by byte where there are fewer."""
    byte = ir.IntType(8)
    origin = builder.bitcast(origin, byte.as_pointer())
    with builder.if_else(builder.icmp_signed(">=", n_bytes, n_bytes.type(16))) as (long, rest):
        with long:
            _emit_words(builder, target, origin, n_bytes, 16)
        with rest, builder.if_else(builder.icmp_signed(">=", n_bytes, n_bytes.type(8))) as (middle, short):
            with middle:
                _emit_words(builder, target, origin, n_bytes, 8)
            with short, cgutils.for_range(builder, n_bytes) as loop:
                _move(builder, target, origin, loop.index, byte)


def _emit_words(builder, target, origin, n_bytes, size):
    """Word by word, then one that ends with the last byte and may overlap."""
    last = builder.sub(n_bytes, n_bytes.type(size))
    with cgutils.for_range_slice(builder, n_bytes.type(0), last, n_bytes.type(size)) as (at, _):
        _move(builder, target, origin, at, ir.IntType(8 * size))
    _move(builder, target, origin, last, ir.IntType(8 * size))


def _move(builder, target, origin, at, width):
    pointer = width.as_pointer()
    value = builder.load(builder.bitcast(builder.gep(origin, [at]), pointer), align=1)
    builder.store(value, builder.bitcast(builder.gep(target, [at]), pointer), align=1)


# copy_items(address, source, start, count): source[start : start + count] to the memory at `address`
copy_items = _move_items if config.DISABLE_JIT else _copy_items


def _clear(address, count):
    ctypes.memset(int(address), 0, int(count))


@intrinsic
def _clear_bytes(typingctx, address, count):
    def codegen(context, builder, signature, args):
        target = builder.inttoptr(args[0], ir.IntType(8).as_pointer())
        cgutils.memset(builder, target, args[1], 0)
        return context.get_dummy_value()

    return types.void(types.intp, types.intp), codegen


# clear_bytes(address, count): zeroes to memory
clear_bytes = _clear if config.DISABLE_JIT else _clear_bytes


def _same(array, other, start, count):
    return array[start : start + count].tobytes() == other[start : start + count].tobytes()


@intrinsic
def _same_items(typingctx, array, other, start, count):
    signature = types.boolean(array, other, types.intp, types.intp)

    def codegen(context, builder, signature, args):
        word = ir.IntType(64)
        pair = [context.make_array(kind)(context, builder, value) for kind, value in zip(signature.args, args[:2])]
        start, count = args[2:]
        differences = cgutils.alloca_once_value(builder, word(0))

        def compare(at, width):
            pointers = [builder.bitcast(builder.gep(part.data, [at]), width.as_pointer()) for part in pair]
            values = [builder.load(pointer, align=1) for pointer in pointers]
            difference = builder.zext(builder.xor(*values), word)
            builder.store(builder.or_(builder.load(differences), difference), differences)

        last = builder.sub(builder.add(start, count), count.type(8))
        with builder.if_else(builder.icmp_signed(">=", count, count.type(8))) as (long, short):
            with long:
                with cgutils.for_range_slice(builder, start, last, count.type(8)) as (at, _):
                    compare(at, word)
                compare(last, word)
            with short, cgutils.for_range(builder, count) as loop:
                compare(builder.add(start, loop.index), ir.IntType(8))
        return builder.icmp_unsigned("==", builder.load(differences), word(0))

    return signature, codegen


# same_items(array, other, start, count): whether two arrays of bytes are alike in these places
same_items = _same if config.DISABLE_JIT else _same_items


def _shift(address, by, count):
    rest = max(int(count) - abs(int(by)), 0)
    ctypes.memmove(int(address) + max(int(by), 0), int(address) - min(int(by), 0), rest)


@intrinsic
def _shift_bytes(typingctx, address, by, count):
    def codegen(context, builder, signature, args):
        address, by, count = args
        zero = by.type(0)
        up = builder.icmp_signed(">", by, zero)
        far = builder.select(up, by, builder.neg(by))
        target = builder.add(address, builder.select(up, by, zero))
        origin = builder.add(address, builder.select(up, zero, far))
        byte = ir.IntType(8).as_pointer()
        pointers = [builder.inttoptr(part, byte) for part in (target, origin)]
        cgutils.raw_memmove(builder, *pointers, builder.sub(count, far), 1)
        return context.get_dummy_value()

    return types.void(types.intp, types.intp, types.intp), codegen


# shift_bytes(address, by, count): of `count` bytes, byte k becomes byte k + by; |by| of them stay as they are
shift_bytes = _shift if config.DISABLE_JIT else _shift_bytes


def _write(address, value):
    ctypes.memset(int(address), int(value), 1)


@intrinsic
def _write_byte(typingctx, address, value):
    def codegen(context, builder, signature, args):
        byte = ir.IntType(8)
        builder.store(builder.trunc(args[1], byte), builder.inttoptr(args[0], byte.as_pointer()))
        return context.get_dummy_value()

    return types.void(types.intp, types.intp), codegen


# write_byte(address, value)
write_byte = _write if config.DISABLE_JIT else _write_byte


def _write_double(address, value):
    ctypes.c_double.from_address(int(address)).value = value


@intrinsic
def _write_float(typingctx, address, value):
    def codegen(context, builder, signature, args):
        builder.store(args[1], builder.inttoptr(args[0], ir.DoubleType().as_pointer()))
        return context.get_dummy_value()

    return types.void(types.intp, types.float64), codegen


# write_float(address, value): eight bytes
write_float = _write_double if config.DISABLE_JIT else _write_float


def addresses(*arrays: np.ndarray) -> tuple[int, ...]:
    """Where arrays begin; each must stay alive and C-contiguous while the address is used."""
    assert all(array.flags.c_contiguous for array in arrays)
    return tuple(array.ctypes.data for array in arrays)
