"""RabbitMQ, Kafka, ZooKeeper, Elasticsearch and OpenSearch: lines in which they say why they do not serve.

Their Java and Erlang reports are read by the readers of those languages; here are the lines without any.
"""

from __future__ import annotations

from collections.abc import Iterator

from kb.failures.found import Find
from kb.failures.readers.line_shapes import read_shapes, shape
from kb.failures.streams import Stream

NAME = "brokers"
ABOUT = "RabbitMQ, Kafka, ZooKeeper, Elasticsearch: start-up, storage, cluster"
EXAMPLE = """\
[2026-11-29T09:55:01,120][ERROR][o.e.b.Elasticsearch      ] [node-1] node validation exception
bootstrap check failure [1] of [1]: max virtual memory areas vm.max_map_count [65530] is too low, \
increase to at least [262144]
"""

_ELASTIC = r"\[\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d,\d{3}\]\[%s *\]\[.{1,60}?\] (?:\[[^\]]{0,80}\] ?){0,2}"
_LOG4J = r"(?:\[\d{4}-\d\d-\d\d \d\d:\d\d:\d\d,\d{3}\] )?(?:ERROR|FATAL) "
_SHAPES = (
    shape(
        "bootstrap check",
        r"(?:\[\d+\]: |bootstrap check failure \[\d+\] of \[\d+\]: )(?P<message>.*(?:is too "
        r"low|not supported|must be|is unsuitable|memory locking|disabled|enabled).*)$",
        0,
    ),
    shape(
        "Elasticsearch",
        r"(?P<message>ERROR: \[\d+\] bootstrap checks failed.*)$",
        1,
        cascade="the checks that failed follow",
    ),
    shape(
        "Elasticsearch",
        _ELASTIC % "(?:ERROR|FATAL)" + r"(?P<message>node validation exception|fatal exception "
        r"while booting Elasticsearch|uncaught exception in thread.*)$",
        1,
        cascade="the lines after it say why",
    ),
    shape(
        "Elasticsearch",
        _ELASTIC % "WARN" + r"(?P<message>(?:high|flood stage) disk watermark .* exceeded on "
        r".*?)(?:, all indices.*)?$",
        1,
    ),
    shape("Elasticsearch", _ELASTIC % "(?:ERROR|FATAL)" + r"(?P<message>.*)$", 1),
    shape(
        "RabbitMQ",
        r"(?:\S+ \S+ )?(?:\[error\] <[\d.]+> )?(?P<message>BOOT FAILED)$",
        1,
        cascade="the lines after it say why",
    ),
    shape(
        "RabbitMQ",
        r"(?P<message>You've tried to set \S+, but there is no setting with that name\.| {2}- (?:Conf file|Error) .*)$",
        0,
    ),
    shape(
        "RabbitMQ",
        r"(?P<message>Error (?:generating|preparing|parsing) configuration.*)$",
        1,
        cascade="the lines around it say what is wrong",
    ),
    shape("RabbitMQ", r"(?P<message>Failed to start Ranch listener .*)$", 0),
    shape(
        "RabbitMQ",
        r"(?P<message>Error during startup: \{error,failed_to_prepare_configuration\})$",
        1,
        cascade="the lines above say what is wrong with the configuration",
    ),
    shape("RabbitMQ", r"(?P<message>Error during startup: .*)$", 0, more=r"\s+\S"),
    shape("RabbitMQ", r"(?P<message>Application \w+ exited with reason: .*)$", 1, cascade="the broker stops"),
    shape("RabbitMQ", r"(?P<message>Error: unable to perform an operation on node '.*?')", 1),
    shape(
        "RabbitMQ",
        r"(?:\S+ \S+ )?(?:\[error\] <[\d.]+> )?(?P<message>ERROR: (?:could not bind to|node with "
        r"name|distribution port|epmd error|unable to).*)$",
        0,
    ),
    shape(
        "RabbitMQ",
        r"(?:(?:\S+ \S+ )?\[error\] <[\d.]+> )?(?P<message>(?:Error on AMQP connection|closing AMQP "
        r"connection|Channel error on connection).*)$",
        1,
        harmless="a client's connection ended badly",
    ),
    shape(
        "RabbitMQ",
        r"(?:(?:\S+ \S+ )?\[(?:error|critical)\] <[\d.]+> )?(?P<message>(?:Mnesia\(|Partial partition|"
        r"Schema integrity|Free disk space is|memory resource limit|disk resource limit).*)$",
        1,
    ),
    shape(
        "RabbitMQ",
        r"(?:(?:\S+ \S+ )?\[warning\] <[\d.]+> )?(?P<message>(?:memory|disk) resource limit alarm set on "
        r"node .*)$",
        1,
    ),
    shape(
        "Kafka",
        _LOG4J + r"(?:\[.{1,80}?\] )?(?P<message>(?:Exiting Kafka|Shutdown broker because|Fatal error "
        r"during|Error while (?:reading|loading|writing|accepting|fetching)|Disk error|There was an error in one "
        r"of the threads).*?)(?: \([\w.$]+\))?$",
        1,
    ),
    shape(
        "ZooKeeper",
        _LOG4J + r"(?P<message>(?:Unable to start|Invalid config, exiting|Unexpected exception).*?)"
        r"(?: \([\w.$]+\))?$",
        1,
    ),
    shape(
        "Kafka client",
        r"%[0-3]\|\d{1,12}\.\d{1,6}\|FAIL\|[^|]{1,200}\| \[thrd:[^\]]{1,200}\]: (?:\S{1,200}: )?"
        r"(?P<message>\S.*?)(?: \(after .{1,200}\))?$",
        1,
    ),
    shape(
        "Kafka client",
        r"(?:.{0,200}?)(?P<message>Connection to node -?\d+ .{0,100}could not be established\. "
        r"(?:Broker may not be available|Node may not be available)\.)",
        1,
    ),
)


def read(lines: Stream) -> Iterator[Find]:
    """One find per distinct line that tells a failure of the broker or its cluster."""
    yield from read_shapes(NAME, "server", lines, _SHAPES)
