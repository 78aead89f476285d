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
PATH_BYTES = 504  # an absolute path: SQLite takes 512, its side files included
BUSY_SECONDS = 5.0  # wait for another process's lock
WAL_AUTOCHECKPOINT_PAGES = 1000
WAL_KEPT_BYTES = 16_777_216  # the write-ahead log is cut back to this after a checkpoint

# Work
QUERY_BUDGET = 100_000  # work units of one query or search
PROGRESS_STEPS = 10_000  # SQLite virtual machine steps between two looks at the cancel flag
ENTITY_FACTS = 100_000  # facts rendered by one entity() or pull()
LOG_SHOWN = 20  # transactions of one log where no limit is given
LOG_MOST = 1_000  # transactions of one log
LOG_ABOUT = 3  # entities of one transaction that a log names

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

# The agent's door: answers
MCP_ANSWER_BYTES = 262_144  # one answer as compact JSON
MCP_DEFAULT_CHARS = 8_000  # one answer as compact JSON where the caller names no size
MCP_EXCERPT_BYTES = 2_048  # a long value where the answer would not fit otherwise
MCP_EXCERPTS = (4_000, 1_000, NAME_BYTES)  # bytes of a long value in a short answer: the first that lets all of it fit
MCP_TINY_BYTES = 60  # of a long value where a short answer has room for a part of one item only
MCP_FRAME_CHARS = 200  # of an answer set aside for the keys that are added once it is known how much fits
MCP_CURSOR_ROOM = 600  # characters set aside for a cursor, more than any has
MCP_OPENED_CHARS = 4_000  # of a linked entity that `about` opens; a larger one stays a link
MCP_OMITTED_CHARS = 1_500  # set aside by `about` for the list of what was left out
MCP_DIGEST_DIGITS = 16  # of the hash by which a cursor knows its request
MCP_CUT_SECONDS = 1.0  # seconds for which a file has to look cut before a server says so
MCP_FILE_DIGITS = 8  # of the hash by which a cursor knows its file
MCP_VECTOR_SHOWN = 8  # numbers; longer vectors are shown as their length
MCP_ERROR_BYTES = 500  # the message, and the hint, of an error
MCP_CURSOR_BYTES = 4_096  # one cursor
MCP_HITS = 10  # hits of recall where k is not given
MCP_HITS_MAX = 20
MCP_EXPAND_MAX = 2  # links followed from a hit
MCP_FILTERS = 16  # filters, or attributes, of recall
MCP_DEPTH_MAX = 2  # levels of about
MCP_ATTRIBUTES = 32  # attributes shown by about
MCP_VALUES = 32  # values of one attribute shown by about
MCP_ITEMS_MAX = 100  # items of one page of why, history, datoms, schema and the resources
MCP_ROWS = 100  # rows of query where q has no limit
MCP_ROWS_MAX = 1_000
MCP_COMPONENTS = 5  # leading values of datoms
MCP_FEED_BYTES = 196_608  # events, or items, of one page of a resource
MCP_CHUNK_BYTES = 131_072  # raw bytes of one chunk of an event
MCP_VALUE_SHOWN_BYTES = 65_536  # of one value in the resources of an entity and of the schema
MCP_BRIEF_BYTES = 500  # text of a hit with detail=brief
MCP_COMPLETIONS = 100  # values of one completion
MCP_COMPLETED_TX = 20  # transactions among them

# The agent's door: the embedding command
EMBED_SECONDS = 60.0  # wall clock of one run
EMBED_OUTPUT_BYTES = 1_048_576  # of its standard output
EMBED_READ_BYTES = 65_536  # moved to or from the command at once
EMBED_POLL_SECONDS = 0.05  # between two looks at the clock and the cancel flag
EMBED_DRAIN_SECONDS = 0.25  # to read what is left once the command has ended
EMBED_CACHE = 64  # queries whose vectors are kept

# Command line
ADD_BATCH = 10_000  # items of one transaction of `add --batch-size`
PREFIX_BYTES = NAME_BYTES - 9  # UTF-8 bytes of an operation id prefix: ":" and eight digits follow it
CLI_COLUMNS = 80  # width of help, and of tables where the terminal does not say
CLI_COLUMNS_LEAST = 40  # a narrower terminal is drawn on as if it were this wide
CLI_COLUMN_LEAST = 8  # cells; a cell of a table is never cut below this
CLI_VECTOR_SHOWN = 4  # numbers of a vector in a table
CLI_BASE64_SHOWN = 24  # characters of a byte string in a table
CLI_HASH_SHOWN = 12  # hexadecimal digits of a hash in a receipt
CLI_SCORE_DIGITS = 4  # of a hit's score, after the point
CLI_FOLLOW_PAGE = 10_000  # transaction ids that `tail` covers with one read transaction
CLI_FOLLOW_SECONDS = 0.2  # between two looks at the file
CLI_PATIENCE_SECONDS = 1.0  # before the first word about progress
CLI_PROGRESS_SECONDS = 0.25  # between two of them

# Streams and care
STREAM_PAGE_BYTES = 1_048_576  # of event text read in one transaction by a stream that goes out
STREAM_RECORD_BYTES = 512  # counted for each record of such a page beside its text
SELECTOR_CACHE = 100_000  # identities whose snapshot form is kept while a snapshot is written
SNAPSHOT_HASH_BYTES = 65_536  # of snapshot lines gathered before they are hashed
RESTORE_BATCH_FACTS = 2_000  # facts gathered before they are inserted
RESTORE_BATCH_BYTES = 1_048_576  # of values among them
PROBLEMS_LISTED = 100  # problems, and warnings, spelled out in one doctor report
BACKUP_STEP_PAGES = 1_000  # pages copied between two looks at the clock and the caller
BACKUP_PAUSE_SECONDS = 0.002  # between two steps, so that a writer gets its turn
DOCTOR_THREAD_BYTES = 1_048_576  # files of this size and more are examined by two threads
CHECKPOINT_SECONDS = 0.25  # that compact waits for readers before it leaves the write-ahead log as it is
VACUUM_ROW_STEPS = 20  # virtual machine steps that VACUUM takes for a row and its index entries, about
ROWS_NAMED = 5  # row numbers in one problem of a doctor report

# Search: the request and the answer
SEARCH_HITS = 10  # hits of one search where k is not given
SEARCH_K = 100  # hits of one search
SEARCH_EXPAND = 3  # steps along references
SEARCH_FILTERS = 16  # pairs in `filters`
SEARCH_TEXT_ATTRIBUTES = 16
SEARCH_LIST_MIN = 50  # entities of one candidate list: five for each hit, at least this many,
SEARCH_LIST_MAX = 500  # and at most this many
SEARCH_LIST_PER_HIT = 5
SEARCH_RANK_CONSTANT = 60  # K of reciprocal rank fusion
SEARCH_EXPANDED = 100  # entities in `expanded`
SEARCH_PULL_ATTRIBUTES = 32  # attributes of one compact pull
SEARCH_PULL_VALUES = 32  # values of one attribute in it
SEARCH_SNIPPET_TOKENS = 12
SEARCH_SNIPPET_WORDS = 1_000  # found words in one text; where there are more, its beginning is shown
SEARCH_TEXT_BYTES = 2_048  # a matched text, a snippet; in an answer over its bound also a text in `pull`
SEARCH_OPENING_BYTES = 160  # of a matched text, where no word of it can be marked
SEARCH_VECTOR_SHOWN = 8  # numbers; longer vectors of an answer over its bound become their length
SEARCH_ANSWER_BYTES = 1_048_576  # canonical JSON of one answer

# Search: ranking by any word
SEARCH_TOKENS = 256  # words of a question that are all asked for; of more each is asked for once
SEARCH_ASKED = 128  # different words of a question from which its terms are taken
SEARCH_TERMS = 32  # distinct terms of one question
SEARCH_ROWS_PER_ENTITY = 2  # best full-text rows that are weighed one by one, for each entity of the list
SEARCH_SIFTED = 3  # times as many rows are looked up to find out which of them belong to one entity
SEARCH_ROWS_OF_ONE = 8  # rows of one entity that are chosen for what all of its rows hold
SEARCH_ROWS_AT_ONCE = 240  # rows that are looked up with one statement
SEARCH_CONTEXT_ROWS = 24  # best of them for which neighbouring facts are looked up
SEARCH_WORD_CHARS = 64  # letters of one word that are looked at
SEARCH_TEXT_CHARS = 8_192  # characters of one text that are cut into words
SEARCH_WORD_CACHE = 65_536  # words kept in cut form by one process
SEARCH_NAMES = 200_000  # entity names kept in one handle
SEARCH_NAMESAKES = 1_000  # entities whose names hold one word; beyond that the word says nothing about any of them
SEARCH_COMPOUNDS = 50_000  # joined words (`getUserById`) kept by their parts in one handle
SEARCH_COMPOUNDS_PER_TERM = 16  # joined words that one term is looked for in
SEARCH_NAMED = 100  # entities taken up because of their names
SEARCH_NAMED_FACTS = 16  # facts of each of them
SEARCH_STATED = 20  # transactions taken up because of their author or source
SEARCH_STATED_FACTS = 16  # facts of each of them
SEARCH_PREFIX_CHARS = 4  # letters from which on a term also finds longer words
SEARCH_JOINED_CHARS = 12  # letters of two words of a question that may be written as one
SEARCH_NEAR_PLACES = 5  # places between two words that stand together
SEARCH_REPEATS = 8  # places of one term in one text that are looked at
SEARCH_WINDOW = 16  # fact ids on either side in which the notes before and after are looked for
SEARCH_LINKS = 8  # links of one entity; more say nothing about each of them
SEARCH_LED_BY = 10  # best notes whose followers are taken up
SEARCH_LONG_TERMS = 3  # terms from which on a question is one that a note may answer without holding any of them

# Search: vectors
SEARCH_KEPT_ELEMENTS = 4_194_304  # vector elements kept unpacked by one handle, 32 bytes each: 128 MiB

# Queries
QUERY_DEPTH = 64  # clauses nested in one another
QUERY_CLAUSES = 1_000  # clauses of one query, those of its rules included
QUERY_ALIASES = 50  # tables joined in one stage; SQLite joins at most 64
QUERY_RECURSIVE_PATTERNS = 25  # clauses of a recursive SELECT, which has no stages; over history each joins two tables
QUERY_ARMS = 64  # bodies into which the calls of rules that are not recursive may be unfolded
QUERY_BRANCHES = 400  # branches of one `or`; SQLite takes 500 parts in one union
QUERY_SUBQUERIES = 2  # `not` and `or` nested as subqueries; SQLite's parser has a small stack
QUERY_REFERENCES = 256  # times a common table expression is read, all nesting multiplied; SQLite's bound is 65,535
QUERY_INPUT_CELLS = 10_000  # values of all collection, tuple and relation inputs together
QUERY_BUDGET_LAID_OUT = 16_777_216  # units of a budget that are counted without entering Python code
QUERY_PLANS = 64  # compiled queries kept while the file stays as it is
QUERY_MEMORY_KEPT = 4_194_304  # bytes of a block after which the process keeps freed blocks of its size
STATISTICS_ROWS = 4_096  # index entries counted for one estimate; more is "many"
STATISTICS_SAMPLE = 1_000  # index entries looked at for the number of distinct values
STATISTICS_ENTITIES = 32  # entities looked at for the number of values each has

# Datoms
DATOMS_SHOWN = 100  # datoms of one page where no limit is given
DATOMS_PAGE = 1_000  # datoms of one page
DATOMS_COMPONENTS = 5  # leading components
CURSOR_CHARS = 4_096  # one cursor

# The page for people (defaults of `fgraph view`; its options go up to VIEW_MOST)
VIEW_ENTITIES = 5_000  # entities on the page: those touched last
VIEW_FACTS = 200  # present facts of one entity: the newest
VIEW_HISTORY = 200  # ended facts of one entity: those that ended last
VIEW_VALUE_BYTES = 2_048  # UTF-8 bytes of one value
VIEW_TRANSACTIONS = 5_000  # newest transactions; older ones that a shown fact names come on top
VIEW_CONTESTED = 1_000  # contested cells: those that changed last
VIEW_CELL_VALUES = 20  # values shown of one contested cell
VIEW_PAGE_BYTES = 67_108_864  # of entity data on one page
VIEW_MOST = 1_000_000  # the largest number an option takes
VIEW_VECTOR_SHOWN = 8  # numbers of one vector
