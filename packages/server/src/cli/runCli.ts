import { Command, CommanderError } from 'commander'
import { toStoreError } from '../store/errors.ts'
import type { CliContext } from './context.ts'
import { exitCodeOf, printError } from './terminal/output.ts'

const usageExitCode = 2

/**
 * Runs one command and returns the exit code: 0, 1, 2 for usage errors, 75 for errors that may
 * pass.
 */
export async function runCli(args: readonly string[], context: CliContext): Promise<number> {
  const isJson = args.includes('--json')
  let shown = ''
  let usageText = ''
  const output = {
    writeOut(text: string) {
      shown += text
    },
    writeErr(text: string) {
      usageText += text
    },
  }
  try {
    const program = await createProgram(context, output, args)
    await program.parseAsync(args, { from: 'user' })
    return 0
  } catch (caught) {
    if (context.isUnread?.()) return 0
    const error = toStoreError(caught)
    if (!(error instanceof CommanderError)) {
      printError(context.stderr, error, isJson)
      return exitCodeOf(error)
    }
    // Requested help and version are not errors.
    if (error.exitCode === 0) {
      context.stdout.write(isJson ? shownJson(error, shown) : shown)
      return 0
    }
    context.stderr.write(isJson ? usageJson(error, usageText) : usageText)
    return usageExitCode
  }
}

function shownJson({ code }: CommanderError, shown: string): string {
  const text = shown.trimEnd()
  return jsonLine(code === 'commander.version' ? { version: text } : { help: text })
}

function usageJson({ code }: CommanderError, text: string): string {
  // A command group without a command shows its help.
  const isBare = code === 'commander.help'
  const message = isBare ? 'a command is missing' : text.trim().replace(/^error: /, '')
  const meta = isBare ? text.trimEnd().split('\n') : []
  return jsonLine({ error: { code: 'USAGE', message, meta, retryable: false } })
}

const jsonLine = (value: object) => `${JSON.stringify(value)}\n`

// Fits every flag with its sentence into half a screen.
const helpColumns = 100

/** Output of help, version and usage errors. */
type ProgramOutput = { writeOut(text: string): void; writeErr(text: string): void }

/** Gives a command its options and its action. */
type FillCommand = (command: Command, context: CliContext) => void

type CommandEntry = {
  name: string
  description: string
  /** Loads the command's file, and with it much of the program: only when it is called. */
  load(): Promise<FillCommand>
}

const entries: readonly CommandEntry[] = [
  {
    name: 'start',
    description: 'Run the service. Without configured chains it indexes a local demo chain.',
    load: async () => (await import('./commands/start.ts')).fillStart,
  },
  {
    name: 'init',
    description: 'Write a configuration for your chains and check it.',
    load: async () => (await import('./commands/init.ts')).fillInit,
  },
  {
    name: 'devnet',
    description: 'Run only the local demo chains, for a service that you start separately.',
    load: async () => (await import('./commands/devnet.ts')).fillDevnet,
  },
  {
    name: 'backfill',
    description: 'Index the configured chains up to their heads and exit; a second run resumes.',
    load: async () => (await import('./commands/backfill.ts')).fillBackfill,
  },
  {
    name: 'status',
    description: 'Show the progress of every chain, with or without a running service.',
    load: async () => (await import('./commands/status.ts')).fillStatus,
  },
  {
    name: 'listen',
    description: 'Subscribe to a topic of a running service and print each push.',
    load: async () => (await import('./commands/listen.ts')).fillListen,
  },
  {
    name: 'mcp',
    description: 'Connect a Model Context Protocol client to a running service.',
    load: async () => (await import('./commands/mcp.ts')).fillMcp,
  },
  {
    name: 'decode',
    description: 'Print the swaps in saved answers of a node, one JSON object per line.',
    load: async () => (await import('./commands/decode.ts')).fillDecode,
  },
  {
    name: 'doctor',
    description:
      'Check the nodes, database and machine of a configuration, or one node, with advice.',
    load: async () => (await import('./commands/doctor.ts')).fillDoctor,
  },
  {
    name: 'chains',
    description: 'List the chains with a preset, which need only the URL of a node.',
    load: async () => (await import('./commands/chains.ts')).fillChains,
  },
  {
    name: 'backup',
    description: 'Back up all stored data to one file, with or without a running service.',
    load: async () => (await import('./commands/backup.ts')).fillBackup,
  },
  {
    name: 'restore',
    description: 'Restore a backup into an empty data directory or database.',
    load: async () => (await import('./commands/backup.ts')).fillRestore,
  },
  {
    name: 'export',
    description: 'Write stored swaps, klines and more as CSV or Parquet.',
    load: async () => (await import('./commands/export.ts')).fillExport,
  },
  {
    name: 'audit',
    description: 'Compare stored data with the nodes of its chains, and repair differences.',
    load: async () => (await import('./commands/audit.ts')).fillAudit,
  },
  {
    name: 'config',
    description: 'Check, print or document the configuration.',
    load: async () => (await import('./commands/config.ts')).fillConfig,
  },
  {
    name: 'keys',
    description: 'Create, list, rotate, expire and revoke API keys.',
    load: async () => (await import('./commands/keys.ts')).fillKeys,
  },
]

/**
 * Builds the command line with the commands that `args` may call in full and the others by name;
 * without `args` all in full. Usage errors, help and version end as a CommanderError.
 */
export async function createProgram(
  context: CliContext,
  output: ProgramOutput,
  args?: readonly string[],
): Promise<Command> {
  const program = new Command('chaintape')
    .description('Self-hosted market data for on-chain markets.')
    .version(context.version, '--version', 'print the version')
    .helpOption('-h, --help', 'show this help')
    .option('--json', 'print one JSON object')
    .helpCommand(false)
    // Names only: commands that are not loaded have no arguments yet.
    .configureHelp({ subcommandTerm: (command) => command.name() })
    .exitOverride()
    .configureOutput({
      ...output,
      getOutHelpWidth: () => helpColumns,
      getErrHelpWidth: () => helpColumns,
    })
    // Applies to the command that runs, wherever the flag is on the command line.
    .hook('preAction', (_, command) => {
      if (command.optsWithGlobals().json) command.setOptionValue('json', true)
    })
  for (const { name, description, load } of entries) {
    const command = program.command(name).description(description)
    if (args === undefined || args.includes(name)) (await load())(command, context)
  }
  return program
}
