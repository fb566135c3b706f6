import { EventEmitter } from 'node:events'
import type { Command } from 'commander'
import { expect, test } from 'vitest'
import type { CliContext } from './context.ts'
import { createProgram } from './runCli.ts'

const sink = { write: () => {}, isTTY: false, columns: 80 }
const context: CliContext = {
  version: '1.2.3',
  stdout: sink,
  stderr: sink,
  writeBytes: async () => {},
  readInput: async () => Buffer.alloc(0),
  ask: null,
  signals: new EventEmitter(),
  exit: () => {},
  nowMs: () => 0,
  env: {},
  app: {} as CliContext['app'],
}

/** All commands by their words. */
function commandsOf(command: Command, path: string[] = []): [string, Command][] {
  const inside = command.commands.flatMap((child) => commandsOf(child, [...path, child.name()]))
  return [[path.join(' '), command], ...inside]
}

const commands = new Map(
  commandsOf(await createProgram(context, { writeOut: () => {}, writeErr: () => {} })),
)
const helpOf = (words: string) => commands.get(words)!.helpInformation()
const flagsOf = (words: string) => commands.get(words)!.options.map(({ long }) => long)

test('behavior: the commands', () => {
  const top =
    'start init devnet backfill status listen mcp decode doctor chains backup restore export audit'
  const words = ['', ...top.split(' '), 'config', 'config check', 'config print', 'config docs']
  const keys = ['create', 'list', 'rotate', 'expire', 'revoke'].map((word) => `keys ${word}`)
  expect([...commands.keys()]).toEqual([...words, 'config schema', 'keys', ...keys])
})

test('behavior: every command has --json and a sentence', () => {
  for (const [words, command] of commands) {
    expect(command.description(), words).toMatch(/\.$/)
    expect(
      command.options.map(({ long }) => long),
      words,
    ).toContain('--json')
  }
})

test('default: chaintape', () => {
  expect(helpOf('')).toMatchInlineSnapshot(`
    "Usage: chaintape [options] [command]

    Self-hosted market data for on-chain markets.

    Options:
      --version   print the version
      --json      print one JSON object
      -h, --help  show this help

    Commands:
      start       Run the service. Without configured chains it indexes a local demo chain.
      init        Write a configuration for your chains and check it.
      devnet      Run only the local demo chains, for a service that you start separately.
      backfill    Index the configured chains up to their heads and exit; a second run resumes.
      status      Show the progress of every chain, with or without a running service.
      listen      Subscribe to a topic of a running service and print each push.
      mcp         Connect a Model Context Protocol client to a running service.
      decode      Print the swaps in saved answers of a node, one JSON object per line.
      doctor      Check the nodes, database and machine of a configuration, or one node, with advice.
      chains      List the chains with a preset, which need only the URL of a node.
      backup      Back up all stored data to one file, with or without a running service.
      restore     Restore a backup into an empty data directory or database.
      export      Write stored swaps, klines and more as CSV or Parquet.
      audit       Compare stored data with the nodes of its chains, and repair differences.
      config      Check, print or document the configuration.
      keys        Create, list, rotate, expire and revoke API keys.
    "
  `)
})

test('default: start', () => {
  expect(helpOf('start')).toMatchInlineSnapshot(`
    "Usage: chaintape start [options]

    Run the service. Without configured chains it indexes a local demo chain.

    Options:
      --config <file>              configuration file: JSON (comments allowed) or YAML
      --host <value>               Address to listen on; 0.0.0.0 for all interfaces. (127.0.0.1)
      --port <number>              TCP port of REST and WebSocket; 0: a free port. (8080)
      --data-dir <value>           Folder for everything the service stores. (.chaintape)
      --database-url <url>         PostgreSQL to use, as postgres://user:password@host/database.
                                   Default: a private one. Of several hosts (one:5432,two:5432) it uses
                                   the writable one.
      --role <value>               all: the whole service in one process. indexer: reads the chains and
                                   stores them; standby indexers take over. gateway: serves what
                                   indexers store; run any number. See docs/operate/cluster.md. (all)
      --response-envelope <value>  contract: bodies as documented per operation; always: every answer in
                                   the status, msg, data_type, data envelope. (contract)
      --compat                     Compatibility mode, see docs/reference/compat.md.
      --devnet-port <number>       TCP port of the local chain; 0: a free port. (8545)
      --log-level <value>          Lowest level of log lines to write. auto: info for start and
                                   backfill, warn on a terminal and for other commands. (auto)
      --log-format <value>         Format of log lines. auto: text if standard error is a terminal,
                                   which also shows the steps of a start; otherwise JSON. (auto)
      --chains <names>             only these configured chains, such as eth,base
      --json                       print one JSON object when ready
      -h, --help                   show this help
    "
  `)
})

test('default: backfill', () => {
  expect(helpOf('backfill')).toMatchInlineSnapshot(`
    "Usage: chaintape backfill [options]

    Index the configured chains up to their heads and exit; a second run resumes.

    Options:
      --config <file>       configuration file: JSON (comments allowed) or YAML
      --data-dir <value>    Folder for everything the service stores. (.chaintape)
      --database-url <url>  PostgreSQL to use, as postgres://user:password@host/database. Default: a
                            private one. Of several hosts (one:5432,two:5432) it uses the writable one.
      --log-level <value>   Lowest level of log lines to write. auto: info for start and backfill, warn
                            on a terminal and for other commands. (auto)
      --log-format <value>  Format of log lines. auto: text if standard error is a terminal, which also
                            shows the steps of a start; otherwise JSON. (auto)
      --chain <name...>     only these chains
      --from <block>        first block, in place of start_block
      --again               first delete the stored data of the chains named by --chain
      --json                print one JSON object at the end, and no progress
      -h, --help            show this help
    "
  `)
})

test('default: status', () => {
  expect(helpOf('status')).toMatchInlineSnapshot(`
    "Usage: chaintape status [options]

    Show the progress of every chain, with or without a running service.

    Options:
      --config <file>       configuration file: JSON (comments allowed) or YAML
      --host <value>        Address to listen on; 0.0.0.0 for all interfaces. (127.0.0.1)
      --port <number>       TCP port of REST and WebSocket; 0: a free port. (8080)
      --data-dir <value>    Folder for everything the service stores. (.chaintape)
      --database-url <url>  PostgreSQL to use, as postgres://user:password@host/database. Default: a
                            private one. Of several hosts (one:5432,two:5432) it uses the writable one.
      --log-level <value>   Lowest level of log lines to write. auto: info for start and backfill, warn
                            on a terminal and for other commands. (auto)
      --log-format <value>  Format of log lines. auto: text if standard error is a terminal, which also
                            shows the steps of a start; otherwise JSON. (auto)
      --json                print one JSON object
      -h, --help            show this help
    "
  `)
})

test('default: config', () => {
  expect(helpOf('config')).toMatchInlineSnapshot(`
    "Usage: chaintape config [options] [command]

    Check, print or document the configuration.

    Options:
      --json      print one JSON object
      -h, --help  show this help

    Commands:
      check       Name every mistake in the configuration.
      print       Print the configuration in force as JSON, secrets as <set>.
      docs        Print the documentation of every setting, in Markdown.
      schema      Print the JSON Schema of the configuration, for editors.
    "
  `)
})

test('default: config check', () => {
  expect(helpOf('config check')).toMatchInlineSnapshot(`
    "Usage: chaintape config check [options]

    Name every mistake in the configuration.

    Options:
      --config <file>              configuration file: JSON (comments allowed) or YAML
      --host <value>               Address to listen on; 0.0.0.0 for all interfaces. (127.0.0.1)
      --port <number>              TCP port of REST and WebSocket; 0: a free port. (8080)
      --data-dir <value>           Folder for everything the service stores. (.chaintape)
      --database-url <url>         PostgreSQL to use, as postgres://user:password@host/database.
                                   Default: a private one. Of several hosts (one:5432,two:5432) it uses
                                   the writable one.
      --role <value>               all: the whole service in one process. indexer: reads the chains and
                                   stores them; standby indexers take over. gateway: serves what
                                   indexers store; run any number. See docs/operate/cluster.md. (all)
      --response-envelope <value>  contract: bodies as documented per operation; always: every answer in
                                   the status, msg, data_type, data envelope. (contract)
      --compat                     Compatibility mode, see docs/reference/compat.md.
      --devnet-port <number>       TCP port of the local chain; 0: a free port. (8545)
      --log-level <value>          Lowest level of log lines to write. auto: info for start and
                                   backfill, warn on a terminal and for other commands. (auto)
      --log-format <value>         Format of log lines. auto: text if standard error is a terminal,
                                   which also shows the steps of a start; otherwise JSON. (auto)
      --json                       print one JSON object
      -h, --help                   show this help
    "
  `)
})

test('default: config print takes the options of config check', () => {
  expect(flagsOf('config print')).toEqual(flagsOf('config check'))
})

test('default: config docs', () => {
  expect(helpOf('config docs')).toMatchInlineSnapshot(`
    "Usage: chaintape config docs [options]

    Print the documentation of every setting, in Markdown.

    Options:
      --json      print one JSON object with the text
      -h, --help  show this help
    "
  `)
})

test('default: keys', () => {
  expect(helpOf('keys')).toMatchInlineSnapshot(`
    "Usage: chaintape keys [options] [command]

    Create, list, rotate, expire and revoke API keys.

    Options:
      --json      print one JSON object
      -h, --help  show this help

    Commands:
      create      Create an API key and print it once; a running service accepts it at once.
      list        List the API keys and their usage this month. Only hashes of the keys are stored.
      rotate      Replace an API key by a new one; the old key expires after a grace period.
      expire      Set when an API key expires: now, or later.
      revoke      Revoke an API key at once and permanently.
    "
  `)
})

test('default: keys create', () => {
  expect(helpOf('keys create')).toMatchInlineSnapshot(`
    "Usage: chaintape keys create [options]

    Create an API key and print it once; a running service accepts it at once.

    Options:
      --plan <plan>           plan of the configuration that sets its limits (default: "free")
      --name <name>           what the key is for
      --expires-in <seconds>  seconds until it expires; without it, never
      --config <file>         configuration file: JSON (comments allowed) or YAML
      --data-dir <value>      Folder for everything the service stores. (.chaintape)
      --database-url <url>    PostgreSQL to use, as postgres://user:password@host/database. Default: a
                              private one. Of several hosts (one:5432,two:5432) it uses the writable
                              one.
      --log-level <value>     Lowest level of log lines to write. auto: info for start and backfill,
                              warn on a terminal and for other commands. (auto)
      --log-format <value>    Format of log lines. auto: text if standard error is a terminal, which
                              also shows the steps of a start; otherwise JSON. (auto)
      --json                  print one JSON object
      -h, --help              show this help
    "
  `)
})

test('default: keys list', () => {
  expect(helpOf('keys list')).toMatchInlineSnapshot(`
    "Usage: chaintape keys list [options]

    List the API keys and their usage this month. Only hashes of the keys are stored.

    Options:
      --config <file>       configuration file: JSON (comments allowed) or YAML
      --data-dir <value>    Folder for everything the service stores. (.chaintape)
      --database-url <url>  PostgreSQL to use, as postgres://user:password@host/database. Default: a
                            private one. Of several hosts (one:5432,two:5432) it uses the writable one.
      --log-level <value>   Lowest level of log lines to write. auto: info for start and backfill, warn
                            on a terminal and for other commands. (auto)
      --log-format <value>  Format of log lines. auto: text if standard error is a terminal, which also
                            shows the steps of a start; otherwise JSON. (auto)
      --json                print one JSON object
      -h, --help            show this help
    "
  `)
})

test('default: keys rotate', () => {
  expect(helpOf('keys rotate')).toMatchInlineSnapshot(`
    "Usage: chaintape keys rotate [options] <id>

    Replace an API key by a new one; the old key expires after a grace period.

    Arguments:
      id                    id of the key, from keys list

    Options:
      --grace <seconds>     seconds that the old key still works (default: 86400)
      --config <file>       configuration file: JSON (comments allowed) or YAML
      --data-dir <value>    Folder for everything the service stores. (.chaintape)
      --database-url <url>  PostgreSQL to use, as postgres://user:password@host/database. Default: a
                            private one. Of several hosts (one:5432,two:5432) it uses the writable one.
      --log-level <value>   Lowest level of log lines to write. auto: info for start and backfill, warn
                            on a terminal and for other commands. (auto)
      --log-format <value>  Format of log lines. auto: text if standard error is a terminal, which also
                            shows the steps of a start; otherwise JSON. (auto)
      --json                print one JSON object
      -h, --help            show this help
    "
  `)
})

test('default: keys expire', () => {
  expect(helpOf('keys expire')).toMatchInlineSnapshot(`
    "Usage: chaintape keys expire [options] <id>

    Set when an API key expires: now, or later.

    Arguments:
      id                    id of the key, from keys list

    Options:
      --in <seconds>        seconds from now (default: 0)
      --config <file>       configuration file: JSON (comments allowed) or YAML
      --data-dir <value>    Folder for everything the service stores. (.chaintape)
      --database-url <url>  PostgreSQL to use, as postgres://user:password@host/database. Default: a
                            private one. Of several hosts (one:5432,two:5432) it uses the writable one.
      --log-level <value>   Lowest level of log lines to write. auto: info for start and backfill, warn
                            on a terminal and for other commands. (auto)
      --log-format <value>  Format of log lines. auto: text if standard error is a terminal, which also
                            shows the steps of a start; otherwise JSON. (auto)
      --json                print one JSON object
      -h, --help            show this help
    "
  `)
})

test('default: keys revoke takes an id and the options of keys list', () => {
  expect(helpOf('keys revoke')).toContain('Usage: chaintape keys revoke [options] <id>')
  expect(flagsOf('keys revoke')).toEqual(flagsOf('keys list'))
})

test('default: chaintape backup', () => {
  expect(helpOf('backup')).toMatchInlineSnapshot(`
    "Usage: chaintape backup [options] <file>

    Back up all stored data to one file, with or without a running service.

    Arguments:
      file                  the file to write, which must not exist

    Options:
      --config <file>       configuration file: JSON (comments allowed) or YAML
      --data-dir <value>    Folder for everything the service stores. (.chaintape)
      --database-url <url>  PostgreSQL to use, as postgres://user:password@host/database. Default: a
                            private one. Of several hosts (one:5432,two:5432) it uses the writable one.
      --log-level <value>   Lowest level of log lines to write. auto: info for start and backfill, warn
                            on a terminal and for other commands. (auto)
      --log-format <value>  Format of log lines. auto: text if standard error is a terminal, which also
                            shows the steps of a start; otherwise JSON. (auto)
      --json                print one JSON object
      -h, --help            show this help
    "
  `)
})

test('default: chaintape restore', () => {
  expect(helpOf('restore')).toMatchInlineSnapshot(`
    "Usage: chaintape restore [options] <file>

    Restore a backup into an empty data directory or database.

    Arguments:
      file                  a file that chaintape backup wrote, this version or an older one

    Options:
      --config <file>       configuration file: JSON (comments allowed) or YAML
      --data-dir <value>    Folder for everything the service stores. (.chaintape)
      --database-url <url>  PostgreSQL to use, as postgres://user:password@host/database. Default: a
                            private one. Of several hosts (one:5432,two:5432) it uses the writable one.
      --log-level <value>   Lowest level of log lines to write. auto: info for start and backfill, warn
                            on a terminal and for other commands. (auto)
      --log-format <value>  Format of log lines. auto: text if standard error is a terminal, which also
                            shows the steps of a start; otherwise JSON. (auto)
      --json                print one JSON object
      -h, --help            show this help
    "
  `)
})
