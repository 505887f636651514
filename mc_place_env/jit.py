"""The package's compile decorators: lazy, one signature a function, cached under a key of our own sources.

numba's cache looks only at the file of the function itself; a rule edited in another file would be answered by a
stale kernel. So the cache folder is named after a hash of every compiled source file of the package.
"""

import gc
import hashlib
import os
import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

import numba
from llvmlite.binding import Linkage
from numba import _dynfunc, types
from numba.core import config
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import CompilerBase, DefaultPassBuilder
from numba.core.compiler_machinery import PassManager, register_pass
from numba.core.registry import CPUDispatcher
from numba.core.typed_passes import (
    AnnotateTypes,
    IRLegalization,
    NativeLowering,
    NoPythonBackend,
    NopythonTypeInference,
)
from numba.core.untyped_passes import FixupArgs, GenericRewrites, IRProcessing, TranslateByteCode
from numba.extending import register_jitable

PACKAGE = Path(__file__).parent
COMPILED_SOURCES = ("types.py", "jit.py", "rules", "simulation")

Function = TypeVar("Function", bound=Callable[..., Any])


def source_key() -> str:
    """Hash of every source file that reaches a kernel, and of the compiler's version."""
    digest = hashlib.blake2b(digest_size=10)
    digest.update(f"{numba.__version__} {sys.version}".encode())
    for entry in COMPILED_SOURCES:
        path = PACKAGE / entry
        for file in sorted(path.rglob("*.py")) if path.is_dir() else [path]:
            digest.update(file.name.encode() + file.read_bytes())
    return digest.hexdigest()


@cache
def cache_folder() -> str:
    """The folder for this state of the sources: `$MC_PLACE_ENV_CACHE` or the user's cache folder."""
    base = os.environ.get("MC_PLACE_ENV_CACHE")
    if base is None:
        user_cache = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
        base = str(Path(user_cache) / "mc_place_env" / "kernels")
    return str(Path(base) / source_key())


class LinkedLibrary(JITCodeLibrary):  # type: ignore[misc]
    """Code of one inner function, which entries link: simplified, and no machine code."""

    def _optimize_functions(self, ll_module: Any) -> None:
        ll_module.data_layout = self._codegen._data_layout
        for function in ll_module.functions:
            if not function.is_declaration:
                simplify, builder = self._codegen._function_pass_manager()
                simplify.run(function, builder)

    def finalize(self) -> None:
        """Links nothing: what links this links its callees, too, each once."""
        self._finalize_dynamic_globals()
        self._finalized = True


class EntryLibrary(JITCodeLibrary):  # type: ignore[misc]
    """Code that Python calls. What it links is its own: inlined where it is called once, gone where it is not."""

    def _optimize_final_module(self) -> None:
        for function in list(self._final_module.functions):
            if not function.is_declaration and function.linkage == Linkage.linkonce_odr:
                function.linkage = Linkage.internal
                function.name = f"{self.name}.{function.name}"  # by the old one another entry would look here for it
        optimize, builder = self._codegen._module_pass_manager()
        optimize.run(self._final_module, builder)


@register_pass(mutates_CFG=True, analysis_only=False)
class EntryLowering(NativeLowering):  # type: ignore[misc]
    """Lowers an entry into such a library."""

    _name = "entry_lowering"

    def run_pass(self, state: Any) -> bool:
        """As `NativeLowering.run_pass`, which makes a library only where there is none."""
        state.library = EntryLibrary(state.targetctx.codegen(), state.func_id.func_qualname)
        state.library.enable_object_caching()
        return bool(super().run_pass(state))


@register_pass(mutates_CFG=True, analysis_only=False)
class LinkedLowering(NativeLowering):  # type: ignore[misc]
    """Lowers an inner function into such a library."""

    _name = "linked_lowering"

    def run_pass(self, state: Any) -> bool:
        """Replaces `NativeLowering.run_pass`, which would go on to machine code."""
        state.library = LinkedLibrary(state.targetctx.codegen(), state.func_id.func_qualname)
        state.flags.no_compile = True
        super().run_pass(state)
        lowered, function = state["cr"], state.func_id.func
        stub = _dynfunc.make_function(function, function.__name__, "", 0, lowered.env, (state.library,))
        callees = dict.fromkeys(state.library._linking_libraries)
        state.targetctx.insert_user_function(stub, lowered.fndesc, [state.library, *callees])
        state["cr"] = lowered._replace(cfunc=stub)
        return True


class Passes(PassManager):  # type: ignore[misc]
    """The few of numba's passes that our functions need: a third of a compilation goes to the others.

    Gone are those for closures, objects, literals and array expressions, and static single assignment, which LLVM
    brings about anyway.
    """

    def __init__(self, lowering: type):
        super().__init__("kernel")
        for kind in (
            TranslateByteCode,
            FixupArgs,
            IRProcessing,
            GenericRewrites,
            NopythonTypeInference,
            IRLegalization,
            AnnotateTypes,
            lowering,
            NoPythonBackend,
        ):
            self.add_pass(kind)
        self.finalize()

    def run(self, state: Any) -> None:
        """Without the records that numba keeps of each pass."""
        for kind, _ in self.passes:
            kind().run_pass(state)


class EntryCompiler(CompilerBase):  # type: ignore[misc]
    """numba's compiler for functions that Python calls."""

    lowering = EntryLowering

    def compile_extra(self, func: Any) -> Any:
        """Without the garbage collector, which finds nothing in what a compilation keeps: a tenth of the time."""
        collects = gc.isenabled()
        gc.disable()
        try:
            return super().compile_extra(func)
        finally:
            if collects:
                gc.enable()

    def define_pipelines(self) -> list[Any]:
        """Our passes; numba's own for a `prange`."""
        if self.state.flags.auto_parallel.enabled:
            return [DefaultPassBuilder.define_nopython_pipeline(self.state)]
        return [Passes(self.lowering)]


class InnerCompiler(EntryCompiler):
    """The same for functions that only compiled code calls."""

    lowering = LinkedLowering


class InnerDispatcher(CPUDispatcher):  # type: ignore[misc]
    """What numba needs of a function to call it from compiled code; called from Python it is plain Python."""

    def __call__(self, *arguments: Any) -> Any:
        """Interprets."""
        return self.py_func(*arguments)

    def get_call_template(self, args: Any, kws: Any) -> Any:
        """One signature a function: literals and small integers are int64 to it."""
        return super().get_call_template([widened(kind) for kind in args], kws)


def widened(kind: Any) -> Any:
    """The type that stands for an argument's."""
    kind = types.unliteral(kind)
    return types.int64 if isinstance(kind, types.Integer) and kind.bitwidth < 64 else kind


# without numba's runtime nothing can be allocated: what would, does not compile
KERNEL: dict[str, Any] = {"error_model": "numpy", "_nrt": False}
INNER = KERNEL | {"no_cpython_wrapper": True, "no_cfunc_wrapper": True}


def scalar(function: Function) -> Function:
    """For arithmetic on a few numbers: plain Python when called from Python, compiled inside kernels."""
    return register_jitable(pipeline_class=InnerCompiler, **INNER)(function)


def jit(function: Any) -> Any:
    """For the functions inside a kernel: compiled with it. Called from Python it is plain Python, as is a `scalar`."""
    if config.DISABLE_JIT:
        return function
    options = {"nopython": True, **INNER}
    return InnerDispatcher(function, locals={}, targetoptions=options, pipeline_class=InnerCompiler)


def entry(function: Any) -> Any:
    """For what Python calls: compiled on first use, then taken from our cache."""
    return _compile(function)


def parallel_entry(function: Any) -> Any:
    """As `entry`, for a function whose loop is a `prange`. Its body must be one call (see numba #7135)."""
    return _compile(function, parallel=True)


class Direct:
    """`call` reaches an entry past numba's look at the arguments, which takes longer than a step of one environment.

    For arguments whose types never change: they are looked at in the first call only.
    """

    def __init__(self, function: Any):
        self.entry, self.call = function, self._first_call

    def _first_call(self, *arguments: Any) -> Any:
        result = self.entry(*arguments)
        if not config.DISABLE_JIT:
            self.call = self.entry.overloads[tuple(map(numba.typeof, arguments))].entry_point
        return result


def _compile(function: Any, **options: Any) -> Any:
    # numba takes the folder from its public setting at decoration time; ours must not leak into user code
    before = config.CACHE_DIR
    config.CACHE_DIR = cache_folder()
    try:
        return numba.njit(cache=True, pipeline_class=EntryCompiler, **KERNEL, **options)(function)
    finally:
        config.CACHE_DIR = before
