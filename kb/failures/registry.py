"""The readers, one per language or tool: which there are, and which words in a log call them.

A reader is a module with `NAME`, `ABOUT` (a line for people), `EXAMPLE` (a short log that it reads) and `read`. It is
imported only when the log holds one of its triggers, so that many readers cost nothing where they have nothing to do.
A new reader is a new file in `readers/` and a line here.
"""

import importlib
from collections.abc import Iterator
from typing import NamedTuple, Protocol, cast

from kb.failures.found import Find
from kb.failures.streams import Stream


class Reader(Protocol):
    """What a reader's module holds."""

    NAME: str
    ABOUT: str
    EXAMPLE: str

    def read(self, lines: Stream) -> Iterator[Find]:
        """The failures of one stream, in the order of their lines."""


class Entry(NamedTuple):
    """A reader's module below `kb.failures.readers`, and the words of which a log must hold one (case matters)."""

    module: str
    triggers: tuple[str, ...]


#: In the order of trial: where two readers claim a line, the whole report wins, then the earlier reader.
# fmt: off
READERS: tuple[Entry, ...] = (
    Entry("passed", (
        "test result: ok", "--- PASS: ", "\nPASS ", " PASSES =", " live log ", "[       OK ]", "\nOK",
        "  passed", " passed, ", "fail 0", "All tests successful", " 0 failures", "% tests passed",
        "BUILD SUCCESS", "Tests run: ", " passing (", " passed, 0 failed",
        "bun test v", "ok | ", " passed)", " tests, 0 failures",
        " passed in ", "\nPASS", "\nok  ", "# TODO", "\nFail: ",
        "congratulations :)", " 0 tests failed",
    )),
    Entry("tap_passed", ("\n1..",)),
    Entry("robot_xml", ("<robot ",)),
    Entry("patches", ("\n@@ -", "\ncommit ")),
    Entry("configure_log", (" >&5",)),
    Entry("python", (
        "Traceback", 'File "', "Error: ", "Exception", "Interrupt", "Timeout", "Expired", "Failed: ", "Exit: ",
    )),
    Entry("rich_box", ("╭─",)),
    Entry("faulthandler", ("Fatal Python error", "Timeout (")),
    Entry("elastic", (
        "Root Cause (first observed failure)", "Failures:", "exits with return code = -",
        "noticed that process rank",
    )),
    Entry("pytest_timeout", ("+ Timeout +",)),
    Entry("pytest_report", ("E   ", "short test summary info", "crashed while running")),
    Entry("cuda", (
        "Assertion `", "========= ", "CUDA error", "CUDA Error", "CUDA runtime error", "CUDA driver error", "cudaError",
        "CUDA_ERROR", "_STATUS_", "GPUassert", "NVIDIA-SMI", "NVML", "nvidia-container-cli", "No devices were found",
        "device driver", "CDI devices", "device handle", "NVSwitch", "system not yet initialized",
    )),
    Entry("cuda_texts", (
        "CUDA failure", "Cuda failure", "cuda failure", "launch failure", "kernel image", "illegal memory access",
        "illegal instruction was encountered", "device-side assert", "resources requested for launch",
        "CUDA-capable device", "CUDA driver version", "invalid device ", "misaligned address", "uncorrectable ",
        "PTX", "invalid configuration argument", "launch timed out", "hardware stack error", "stream is capturing",
        "error during capture", "cudaMalloc failed", "failed: out of memory", "MPS client",
    )),
    Entry("ray", (
        "raylet", "worker process", "autoscaler", "GCS", "Version mismatch: The cluster", "Object store is full",
        "A worker died",
    )),
    Entry("dask", ("Compute Failed", "memory budget")),
    Entry("kubernetes", (
        "Warning  ", "Warning   ", "Reason:  ", "BackOff", "OOMKilled", "ErrImagePull", "READY ", "Error from server (",
        "The connection to the server", "Unable to connect to the server", "error: error", "error: unable to",
        "kubelet", "API group list", "Error in configuration: ", " is invalid: ", "resource mapping not found",
        "error: timed out", "its progress deadline", "ProgressDeadlineExceeded", "error: the server doesn't",
    )),
    Entry("docker", (
        "ocker daemon", "rror response from daemon", "failed to solve", "executor failed running",
        "failed to compute cache",
        "failed to calculate checksum", "OCI runtime", "runc ", "crun",
        "returned a non-zero code", "exited with code", "exec format error", "exec user process", "manifest for ",
        "no matching manifest", "toomanyrequests", "unauthorized: auth", "denied: requested", "pull access denied",
        "closed pipe", "COPY failed", "ADD failed", "docker: ", "dockerfile parse", "dependency failed to start",
        "building at STEP", "initializing source", "COPY --from=", "no such container",
        "depends on undefined", "validating ", "short-name ", "prepare context", "no configuration file provided",
        " ERROR: ", "exec /",
    )),
    Entry("systemd", (
        ".service", ".mount", ".socket", ".target", ".device", "booted with systemd", "connect to bus",
        "Failed to start ", "dumped core", "due to memory", "Dependency failed",
    )),
    Entry("postgres", (
        " LOG:  ", "ERROR:  ", "FATAL:  ", "PANIC:  ", "psql: ", "pg_", "initdb: ", "postgres: could",
        "server closed the connection", "createdb: ", "dropdb: ",
    )),
    Entry("mariadb", ("[ERROR] ", "mysqld got ", "mariadbd got ", "ERROR 1", "ERROR 2", "ERROR 3", "mysql", "mariadb")),
    Entry("sqlite", ("error near line ", "Error: near line ")),
    Entry("redis", (
        "FATAL CONFIG FILE", "BUG REPORT START", "aborting.", ":M ", ":C ", ":S ", "Could not connect to Redis",
        "(error) ", "NOAUTH ", "WRONGPASS ", "NOPERM ", "WRONGTYPE ", "MISCONF ", "READONLY ", "LOADING ", "BUSY",
        "NOSCRIPT ", "CLUSTERDOWN ", "CROSSSLOT ", "MASTERDOWN ", "NOREPLICAS ", "EXECABORT ", "OOM command",
    )),
    Entry("proxies", (
        "[emerg]", "[alert]", "[crit]", "[error] ", "nginx: ", "[ALERT]", " is DOWN", "no server available",
        "cannot bind", "Current worker",
    )),
    Entry("daemons", (
        "AH0", "yntax error on line ", "dns_rdata_fromtext", "loading configuration: ", "due to errors",
        "configured interfaces", "TCP: connect to ", "open TUN/TAP dev", "AUTH: Received", "TLS Error: ",
        "VERIFY ERROR: ",
        "Cannot resolve host address", "rsyslogd: ", "Unrecognized database type", "VCC-compiler", "; not expected)",
        "spawnerr: ",
        "entered FATAL state", "no listening sockets",
    )),
    Entry("mpi", (
        "An error occurred in MPI_", "Fatal error in ", "MPI_ABORT", "not enough slots", "unable to launch the spec",
        "attempt to run as root", "unable to find the specified", "ORTE ", "BAD TERMINATION",
        "processes failed to start",
        "normally, but", "one or more processes exited", "It looks like ",
    )),
    Entry("ansible", ("fatal: [", "failed: [", "TASK [", "[ERROR]: ", "ERROR! ", "PLAY RECAP")),
    Entry("terraform", (
        "│ Error: ", "│ Warning: ", ".tf line ", " FAILED: ", "Error: chart", "Error: repo ",
        "Error: failed to download", "Error: parse error at", "Error: execution error", "Error: template: ",
        "Error: release: ", "Error: YAML parse", "Error: values don't", "cluster unreachable",
        "Error: no cached repo", "unable to build kubernetes", "in ./", "/templates/", "chart(s) ",
        "ernetes cluster unreachable", "Error: uninstall: ", "Error: query: ", "Error: looks like ",
        "Error: cannot load values", "...Unable to get an update",
    )),
    Entry("slurm", (
        "slurmstepd", "srun: ", "sbatch: ", "salloc: ", "slurmd: ", "slurmctld: ", "squeue: ", "sinfo: ",
    )),
    Entry("brokers", (
        "bootstrap check", "][ERROR", "][FATAL", "disk watermark", "BOOT FAILED", "] <0.",
        "perform an operation on node", "Exiting Kafka",
        "Shutdown broker", "Fatal error during", "Invalid config, exiting", "could not be established. ",
        "|FAIL|rdkafka", "Unable to start", "ERROR: could not bind", "ERROR: node with name", "Disk error",
    )),
    Entry("network", (
        "rate limit exceeded",
        "curl: (", "wget: ", "ERROR 4", "ERROR 5", "... failed: ", "fatal: ", "pathspec ", "RPC failed",
        "our local changes", "failed to push", "src refspec", "patch failed", "object file", "cannot lock ref",
        "nsufficient permission", "error: unable to ", "error: cannot pull", "could not apply", "CONFLICT (",
        "rejected]", "ssh: ", "Permission denied (", "HOST IDENTIFICATION", "PRIVATE KEY FILE", "host key",
        "configuration option", "no hostkeys", "bind any address",
        "Host key", "Unable to negotiate", "kex_exchange", "onnection closed", "lost connection", "Load key",
        "rsync", ":error:", "depth lookup", "verify error", "servers could be reached", "communications error",
        "server can't find", "ERROR: The cert", "ERROR: cannot verify", "Name or service not known",
        "Temporary failure in name",
    )),
    Entry("xla", ("absl::Status", "coordination", "Terminating process because")),
    Entry("kernel", (
        "BUG: ", "kernel BUG", "UBSAN: ", "nable to handle", "hard LOCKUP", "blocked for more than", "INFO: rcu",
        "Kernel panic", "general protection fault", "Oops", "invalid opcode", "WARNING: CPU", "locking dependency",
    )),
    Entry("nccl", (
        "ProcessGroupNCCL", "Exception raised from ", "NCCL WARN ",
        "terminate called after throwing an instance of 'c10",
    )),
    Entry("oom", ("oom-killer", "ut of memory: Kill")),
    Entry("kernel_lines", (
        "NVRM: ", "segfault at ", "traps: ", "I/O error", "-fs error", "BTRFS ", "XFS (", "failed command",
        "Hardware Error", "EDAC ", "ncorrected (", "NETDEV WATCHDOG", "nfs: server", "VFS: ", "amdgpu", "nvme nvme",
        "Medium Error",
    )),
    Entry("typescript", (" TS", "\nTS")),
    Entry("compilers", (
        ": error", "fatal error", "internal compiler error", "sorry, unimplemented", "Fehler:", "erreur", "错误",
        "エラー", "ошибка", "nvcc ", "ptxas ", "nvlink ", "Command line error",
    )),
    Entry("linkers", (
        "undefined reference", "ndefined symbol", "multiple definition", "uplicate symbol", "ld: ", "lld: ", "mold: ",
        "lld-link",
        "loading shared libraries", "symbol lookup error", "relocation error", "' not found (required by",
        "Library not loaded",
    )),
    Entry("make", ("make: ", "make[", "ninja: ", "*** missing", ": *** ", "make.exe")),
    Entry("cmake", (
        "CMake ", "-- Configuring incomplete", "meson.build:", "configure: error", "Makefile.am: error",
        "configure.ac:",
    )),
    Entry("sanitizers", (
        "Sanitizer: ", "libFuzzer: ", "runtime error: ", "== Memcheck", "== Invalid ", "== Conditional jump",
        "are definitely lost",
    )),
    Entry("android", ("Fatal signal ", "), code ")),
    Entry("gdb", (" signal SIG", " signal CUDA_", "terminated with signal", "dumped core")),
    Entry("windbg", (" - code ", "Bugcheck Analysis")),
    Entry("aborts", (
        "terminate called", "uncaught exception", "uncaught foreign exception", "ssertion `", "ssertion '",
        "ssertion ‘", "Assertion failed: ", "assertion ", "CHECK failed: ", " detected ***", "free(): ", "alloc(): ",
        "malloc_consolidate(): ", "munmap_chunk(): ", "double free or corruption", "corrupted ", "Check failed: ",
        " error in ", "Fatal glibc", "pure virtual", "LLVM ERROR", "fatal runtime error", "ASSERT",
        "Received signal ",
    )),
    Entry("shell", (
        "not found", ": line ", "ermission denied",
        ": No module named ", ": can't find '__main__'", "No such file or directory", "unbound variable",
        # not ": cannot " alone, which many a Python exception says
        ": cannot access", ": cannot change", ": cannot copy", ": cannot create", ": cannot do", ": cannot execute",
        ": cannot find", ": cannot fork", ": cannot get", ": cannot link", ": cannot make", ": cannot move",
        ": cannot open", ": cannot overwrite", ": cannot read", ": cannot remove", ": cannot set", ": cannot stat",
        ": cannot touch", ": cannot unlink", ": cannot write", ": can't ", ": unable to ", ": failed to ",
        "parameter not set", "yntax error", "(error token is ", "Killed", "Segmentation fault", "Aborted", "Bus error",
        "Illegal instruction", "Floating point exception", "s a directory", "ot a directory", "nknown command",
        "nknown operation", "nknown option", "nrecognized command", "o such command", "nvalid option", " is not a",
        " is not in ", "must be ", " is ambiguous", "No space left", "quota exceeded", "Input/output error",
        "Stale file handle", "Read-only file system", "Wrote only ", "annot allocate memory", "Too many open files",
        "File exists",
    )),
    Entry("pip", (
        "ERROR: ", "did not run successfully", "version solving failed", "No solution found", "Failed to build `",
        "cause: ", "─▶", "externally-managed", "ResolvePackageNotFound",
        "UnsatisfiableError", "PackagesNotFoundError", ") not found.",
    )),
    Entry("npm", ("npm ERR!", "npm error", "gyp ERR!", "ERR_PNPM_", "ELIFECYCLE", "yarn install", "yarn run", "➤ YN")),
    Entry("js_tests", ("  ● ", " FAIL ", " failing", " › ")),
    Entry("js_reports", ("● Validation Error:", "  Message:", "Difference (- actual", "\nnot ok ")),
    Entry("numbered_tests", (
        "Failure/Error: ", ") Failure:", ") Error:", "There was 1 ", "There were ", "stacktrace:", "failed\n     code:",
    )),
    Entry("cxx_tests", (
        "[  FAILED  ]", ": Failure", ": FAILED:", "***Failed", "***Exception", "***Timeout", "tests FAILED:",
    )),
    Entry("junit", ("<testcase",)),
    Entry("linters", ("  error  ", "  ✖  ", "  Error (", ">>> Lint for ")),
    Entry("tap", ("Failed test", "not ok ")),
    Entry("diagnostics", (" × ", " ✖ ", "✖   ", " error MD", ".proto:", " at #/", "found a bug for you")),
    Entry("lint_lines", (
        ".py:", ".rb:", ".java:", ".kt:", ".go:", ".js:", ".jsx:", ".ts:", ".tsx:", ".vue:", ".swift:", ".scala:",
        ".c:", ".cc:", ".cpp:", ".cxx:", ".h:", ".hpp:", ".hs:", ".lua:", ".ex:", ".exs:", ".erl:", ".php:", ".pl:",
        ".pm:", ".R:", ".cs:", ".cr:", ".dart:", ".nim:", ".sh:", ".tf:", ".proto:", ".yml:", ".yaml:", ".toml:",
        ".json:", ".rst:", ".md:", ".txt:", ".html:", ".xml:", ".css:", ".scss:", ".ts[", ".tsx[", ".js[", ", col ",
    )),
    Entry("blocks", (
        " FAILED", "FAIL in (", "ERROR in (", " → ", " [E]", "✗ ", ".hs:", ".lhs:", ".hsc:", ") Failed : ",
        ") Error : ", ") Invalid : ", ") Test Failure : ", ") Test Error : ", "*** FAILED ***", "[error]",
        'File "', "FILE: ", " line ", "Test Failed", "Error During Test", "-- ", ".nim(", ") test: ",
        "requirements could not be resolved", "Test failed: ", "Could not find a version", "would reformat",
        "Code style issues", "Diff in ", "Running the tests in", "compatible versions for gem", "resolve dependencies:",
        "\n! ", "-> FAIL ", "• ", ".d(", "=== ERROR while ",
        " (@", ".erl\n", "Build Failed", "Could not find artifact ", "ncountered missing ", "dh_install: ",
        "error: Failed build", "error: Installed (", "\n Problem", "No matching package to install: ",
        "InterpreterNotFound", "InvocationError",
    )),
    Entry("automake", (" (exit status: ",)),
    Entry("coverage", (
        "overage threshold for", "overage for ", "overage failure: ", "Required test coverage of",
        "expected minimum coverage", "Uncovered count for ", "but expected minimum is", "but expected maximum is",
    )),
    Entry("ci_services", (
        "did not exit successfully", "Process exited with code",
        "exited with ", "xited with code", "No output has been received", "exceeded the maximum",
        "execution took longer", "Too long with no output", "Build execution time",
    )),
    Entry("acceptance", ("  | FAIL |", " FAILED: ", "Failing scenarios:", "   ✖ ")),
    Entry("runners", (
        " seconds) ", "nox > ", "- hook id: ", "An error has occurred: ", "error: Recipe ", "error: recipe ",
    )),
    Entry("jvm_builds", ("[ERROR] ", "* What went wrong:", "e: file://", "e: /")),
    Entry("jvm_tests", (" FAILED\n", "\tFAILED", "Caused an ERROR", "JUnit Jupiter:", "JUnit Vintage:")),
    Entry("bazel", ("BUILD:", "bazel", "ERROR: Analysis of target", " FAILED in ", " NO STATUS")),
    Entry("apt", (
        "\nE: ", " E: ", "E: Unable", "E: Could", "E: Package", "E: Failed", "dpkg: ", "dpkg-deb: ",
        "unmet dependencies", "Error: Unable to find a match",
    )),
    Entry("jvm", (
        "Java Runtime Environment", "Java Virtual Machine", "during initialization of VM",
        "during initialization of boot", "Java-level deadlock",
    )),
    Entry("java", ("\tat ", "    at ", "Caused by: ", 'Exception in thread "')),
    Entry("bundlers", (
        "ERROR in ", "error in ", "error during build:", "[!] ", "[ERROR] ", "[vite] Internal", "webpack ",
        "[webpack-cli] ", "Build failed.",
    )),
    Entry("javascript", ("    at ", "FATAL ERROR: ", "\nError: ", "[cause]", "node:", "Uncaught ")),
    Entry("go", ("goroutine ", "DATA RACE", "\nexit status ")),
    Entry("go_tools", (".go:", "go: ", "--- FAIL", "import cycle")),
    Entry("rust", ("panicked at", "has overflowed its stack", "Caused by:")),
    Entry("rustc", ("error[E", "error: ")),
    Entry("dotnet_host", (
        "The framework '", "Framework: '", "any compatible framework", "to run this application", "NET SDK ",
        "NET Core SDK ", "Requested SDK version", "Could not execute because the", "No usable version of ",
        "A fatal error was encountered. The", "A fatal error occurred. The",
    )),
    Entry("dotnet", ("   at ", "  at ", "fail: ", "crit: ", "\nStack overflow.")),
    Entry("ruby", ("\tfrom ", ":in `", ":in '", "syntax error", "[BUG]", "rake aborted!", "While executing gem")),
    Entry("php", ("Fatal error: ", "Parse error: ", "[object] (", ".php line ")),
    Entry("elixir", ("** (", "error: ")),
    Entry("erlang", (" REPORT==== ", "exception error: ", "init terminating", ".erl:")),
    Entry("perl", (".pl line ", ".PL line ", " in @INC ", ".pm line ", "-e line ", ".t line ")),
    Entry("haskell", (": error:", "CallStack (from HasCallStack)", "Prelude.", "<<loop>>", "openFile", "exhaustive")),
    Entry("uncaught", (
        "\nraised ", "An unhandled exception occurred", "Runtime error ", "Unhandled exception", " panic: ", ".swift:",
        ".swift, line",
    )),
    Entry("lisps", (
        ": In procedure ", "in thread #<SB-THREAD", "Execution error (", "Syntax error (", "Syntax error compiling",
        "Syntax error macro", "Throw to key",
    )),
    Entry("lua", ("stack traceback:", "lua: ", "lua5.1: ", "lua5.2: ", "lua5.3: ", "lua5.4: ", "luac: ", "luajit: ")),
    Entry("tex", ("\n! ",)),
    Entry("tcl", ("    while executing", "    while compiling")),
    Entry("r", (
        "Execution halted", "\nCalls: ", "*** caught ", "── Failure (",
        # in German, French, Spanish, Italian, Portuguese, Russian, Chinese and Polish
        "Ausführung angehalten", "Exécution arrêtée", "Ejecución interrumpida", "Esecuzione interrotta",
        "Execução interrompida", "Выполнение остановлено", "停止执行", "Wykonywanie wstrzymane",
    )),
    Entry("julia", ("Stacktrace:", "nested task error: ")),
)
# fmt: on

#: The triggers that count at the beginning of a line only, without its end.
LINE_STARTS = tuple(word[1:] for entry in READERS for word in entry.triggers if word.startswith("\n"))


def load(entry: Entry) -> Reader:
    """The reader of `entry`, imported now."""
    return cast(Reader, importlib.import_module(f"kb.failures.readers.{entry.module}"))


def called(text: str) -> tuple[Reader, ...]:
    """The readers that `text` (clean lines) calls, in the order of trial."""
    data = f"\n{text}".encode("utf-8", "surrogatepass")  # bytes are searched several times faster than wide strings
    return tuple(load(entry) for entry in READERS if any(word.encode() in data for word in entry.triggers))


def catalogue() -> tuple[Reader, ...]:
    """All readers by name, for people."""
    return tuple(sorted((load(entry) for entry in READERS), key=lambda reader: reader.NAME))
