"""Docker, BuildKit, Compose, Podman and the runtimes below them: what keeps an image or a container from its work."""

from __future__ import annotations

from collections.abc import Iterator

from kb.failures.found import Find
from kb.failures.readers.line_shapes import read_shapes, shape
from kb.failures.streams import Stream

NAME = "docker"
ABOUT = "Docker, BuildKit, Compose, Podman, runc: daemons, images, builds, containers"
EXAMPLE = """\
docker: Error response from daemon: Conflict. The container name "/cache" is already in use by container "4f1e". \
You have to remove (or rename) that container to be able to reuse that name.
See 'docker run --help'.
"""

_OCI = (
    r"(?:failed to create (?:task for container|shim task)[^:]{0,40}: |OCI runtime (?:create|start|exec) "
    r"failed: |runc (?:create|run|exec) failed: |container_linux\.go:\d+: |crun: )"
)
#: How BuildKit and its layers lead in to what is wrong.
_STEPS = (
    r"failed to (?:compute cache key|calculate checksum of ref \S{1,200}|resolve source metadata for \S{1,300}|"
    r"create LLB definition|read dockerfile|do request|copy|extract layer|resolve reference \S{1,300}): "
)
_SOLVE = (
    r"(?:#\d+ )?(?:ERROR: )?(?:failed to build: )?failed to (?:solve|receive status)(?:: |(?= with frontend)) ?"
    r"(?:rpc error: code = \w+ desc = )?"
    rf"(?:(?:failed to solve )?with frontend \S+: )?(?:{_STEPS}){{0,4}}"
)
_LEAD = rf"(?:{_STEPS}){{1,4}}"
_SHAPES = (
    shape(
        "Docker daemon",
        r"(?:docker: |ERROR: |error: |error during connect: .{0,300}?: )?(?P<message>Cannot "
        r"connect to the Docker daemon at \S+ Is the docker daemon running\?)",
        0,
    ),
    shape(
        "Docker daemon",
        r"(?:docker: |Got )?(?P<message>permission denied while trying to connect to the Docker "
        r"daemon socket.*)",
        0,
    ),
    shape(
        "OCI runtime",
        rf"(?:docker: )?(?:Error response from daemon: |Error: )?{_OCI}(?:{_OCI})"
        rf"{{0,4}}.{{0,120}}?(?:unable to start container process: |starting container process caused: |"
        rf"process_linux\.go:\d+: )(?:error during container init: )?(?P<message>.+?)(?:: unknown)?\.?$",
        0,
    ),
    shape(
        "nvidia-container-cli",
        r"(?:docker: )?Error response from daemon: .{0,600}?nvidia-container-cli: "
        r"(?P<message>.+?)(?:: unknown)?\.?$",
        0,
    ),
    shape(
        "Error response from daemon",
        r"(?:docker: |Error |ERROR: )?(?:for \S{1,200} )?Error response from "
        r"daemon: (?:driver failed programming external connectivity on endpoint .{1,200}?: )?(?:failed to set up "
        r"container networking: )?(?P<message>.+)$",
        0,
    ),
    shape(
        "BuildKit",
        r"(?:#\d+ )?(?:ERROR: )?(?P<message>executor failed running \[.*\]: "
        r"(?:exit code: \d+|runc did not terminate .*))$",
        1,
        cascade="the step's own output says why",
    ),
    shape("BuildKit", r"(?:#\d+ )?(?:ERROR: )?(?P<message>executor failed running \[.*\]: .*)$", 0),
    shape("BuildKit", rf"{_SOLVE}(?P<message>process \".*)$", 1),
    shape("BuildKit", rf"{_SOLVE}(?P<message>.+)$", 0),
    shape("BuildKit", r"(?:#\d+ )?ERROR: (?P<message>process \".*did not complete successfully.*)$", 1),
    shape("BuildKit", rf"(?:#\d+ )?ERROR: {_LEAD}(?P<message>.+)$", 1),
    shape("BuildKit", rf"{_LEAD}(?P<message>\S.+)$", 0),
    shape(
        "BuildKit",
        r"(?:#\d+ )?ERROR: (?P<message>\"[^\"]{1,1000}\": not found|\"[^\"]{1,1000}\" not found: not found)$",
        0,
    ),
    shape("docker build", r"(?P<message>The command '.{1,2000}' returned a non-zero code: \d+)$", 1),
    shape(
        "docker build",
        r"(?P<message>(?:COPY|ADD) failed: .*|unable to prepare context: .*|dockerfile parse "
        r"error .*)$",
        0,
    ),
    shape(
        "docker",
        r"docker: (?P<message>(?:unknown command|invalid reference format|unknown flag|open |invalid )"
        r".*)$",
        1,
    ),
    shape(
        "compose",
        r"(?P<message>(?:validating \S+: |service \"?[\w-]+\"? (?:depends on undefined|has neither|"
        r"refers to undefined)|no configuration file provided|network \S+ declared as external|yaml: line ).*)$",
        1,
    ),
    shape(
        "compose",
        r"(?P<message>dependency failed to start: container \S+ (?:is unhealthy|exited \(\d+\)))$",
        1,
        cascade="another container of the project failed first",
    ),
    shape(
        "container exit",
        r"(?:\S+ )?(?P<message>(?:\S+[-_]\d+|container \S+) exited with code (?:1(?:3[0-9]|"
        r"4[0-3])))$",
        2,
    ),
    shape(
        "container exit",
        r"(?:\S+ )?(?P<message>\S+[-_]\d+ exited with code (?!0\b)\d+)$",
        2,
    ),
    shape(
        "registry",
        r"(?:Error: |error: |ERROR: )?(?P<message>(?:denied: requested access to the resource is "
        r"denied|unauthorized: authentication required|toomanyrequests: You have reached|manifest for \S+ not "
        r"found|no matching manifest for|pull access denied for).*)$",
        1,
    ),
    shape(
        "exec format error",
        r"(?:standard_init_linux\.go:\d+: )?(?P<message>exec (?:user process caused(?: \"|: "
        r")|/\S{1,300}: ).*(?:exec format error|no such file or directory|permission denied).*)$",
        0,
    ),
    shape(
        "podman build",
        r"Error: building at STEP \".{1,2000}?\": (?P<message>(?:while running runtime: )?exit status \d+)$",
        1,
        cascade="the step's own output says why",
    ),
    shape(
        "podman build", r"(?P<message>subprocess exited with status \d+)$", 2, cascade="the step's own output says why"
    ),
    shape("podman build", r"Error: building at STEP \".{1,2000}?\": (?P<message>\S.*)$", 0),
    shape(
        "podman",
        r"Error: (?:creating build container: )?(?P<message>(?:short-name |initializing source |copying system image |"
        r"unable to copy from source |creating container storage|statfs |crun: |runc: |no container with name |"
        r"no such |COPY --from=).*)$",
        1,
    ),
    shape(
        "docker",
        r"\"?(?P<message>.*(?:io: read/write on closed pipe).*?)\"?$",
        2,
        cascade="the other side of the pipe was gone",
    ),
)


def read(lines: Stream) -> Iterator[Find]:
    """One find per distinct line that tells a failure."""
    yield from read_shapes(NAME, "container", lines, _SHAPES)
