"""Every bound of the project, named, with its unit (docs/limits.md lists them for users)."""

# Numbers and time
INT_MIN = -(1 << 63)
INT_MAX = (1 << 63) - 1
INSTANT_MIN = -62_135_596_800_000_000  # microseconds: 0001-01-01T00:00:00Z
INSTANT_MAX = 253_402_300_799_999_999  # microseconds: 9999-12-31T23:59:59.999999Z
CLOCK_STEP_INJECTED = 1_000_000  # microseconds added when an injected clock does not advance
CLOCK_STEP_WALL = 1  # microseconds added when the wall clock does not advance
INTEGER_DIGITS = 4_300  # decimal digits of an integer in JSON text

# Values
INLINE_BYTES = 256  # longest text (UTF-8) or byte string kept in the fact row itself
VALUE_BYTES = 1_048_576  # one logical value
VECTOR_ELEMENTS = 262_144  # float32 elements: VALUE_BYTES / 4
FLOAT32_MAX_ROUNDING = 3.4028235677973366e38  # doubles of this magnitude and beyond round to infinity
VALUE_DEPTH = 64  # containers nested in one json value
DOCUMENT_DEPTH = 80  # containers nested in one wire document

# Names
NAME_BYTES = 512  # UTF-8 bytes of an entity name or an operation id

# Identities
FIRST_USER_ID = 65
GENESIS_TX = 64

# Streams
EVENT_BYTES = 8 * VALUE_BYTES + 65_536  # one canonical event
SNAPSHOT_LINE_BYTES = 2 * EVENT_BYTES + 65_536  # one snapshot record

# Files
BUSY_SECONDS = 5.0  # wait for another process's lock
WAL_AUTOCHECKPOINT_PAGES = 1000
WAL_KEPT_BYTES = 16_777_216  # the write-ahead log is cut back to this after a checkpoint

# Work
QUERY_BUDGET = 100_000  # work units of one query or search
PROGRESS_STEPS = 10_000  # SQLite virtual machine steps between two looks at the cancel flag
ENTITY_FACTS = 100_000  # facts rendered by one entity() or pull()

# Caches
NAME_CACHE = 100_000  # identities kept in memory by one handle
BATCH_PARAMETERS = 500  # values bound in one statement

# Messages
MESSAGE_CHARS = 500
QUOTED_CHARS = 64

# The agent's door: the wire
MCP_LINE_BYTES = 16_777_216  # one incoming message, its line feed not counted
MCP_BATCH_MEMBERS = 100  # messages in one batch (protocol version 2025-03-26 only)
MCP_JOBS = 256  # calls waiting or running
MCP_SUBSCRIPTIONS = 64  # watched addresses of one session
MCP_READ_BYTES = 65_536  # taken from standard input at once
MCP_DRAIN_SECONDS = 1.5  # at end of input: time for calls already received
MCP_EXIT_SECONDS = 0.3  # then: time for the worker to notice that it should stop
MCP_RETRY_SECONDS = 0.02  # between two tries of a write that waits for another process's lock
MCP_WATCH_SECONDS = 0.5  # between two looks for other processes' commits, while somebody subscribes
MCP_BASELINE_SECONDS = 0.1  # a new subscription waits so long for the worker to note the newest transaction
MCP_UPDATE_SECONDS = 0.25  # between two notifications for one address
MCP_PROGRESS_SECONDS = 0.25  # before the first progress notification, and between two of them
MCP_LIST_TTL_MS = 300_000  # milliseconds a client may keep the lists and the discovery answer
MCP_CLIENT_BYTES = 256  # of a client's name in `fgraph/by`
MCP_TEXT_CHARS = 1_024  # server instructions, one tool description

# The agent's door: answers
MCP_ANSWER_BYTES = 262_144  # one answer as compact JSON
MCP_DEFAULT_CHARS = 8_000  # one answer as compact JSON where the caller names no size
MCP_EXCERPT_BYTES = 2_048  # a long value where the answer would not fit otherwise
MCP_VECTOR_SHOWN = 8  # numbers; longer vectors are shown as their length
MCP_ERROR_BYTES = 500  # the message, and the hint, of an error
