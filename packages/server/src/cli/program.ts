import { Command } from 'commander'
import type { CliContext } from './context.ts'

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
    description: 'Run the service; without configured chains, on a local chain of its own.',
    load: async () => (await import('./commands/start.ts')).fillStart,
  },
  {
    name: 'devnet',
    description: 'Run the local chains of the demo on their own, for a service that starts beside.',
    load: async () => (await import('./commands/devnet.ts')).fillDevnet,
  },
  {
    name: 'backfill',
    description: 'Index the past of the configured chains, from where it stopped, and end.',
    load: async () => (await import('./commands/backfill.ts')).fillBackfill,
  },
  {
    name: 'status',
    description: 'Show how far every chain is, whether the service runs or not.',
    load: async () => (await import('./commands/status.ts')).fillStatus,
  },
  {
    name: 'listen',
    description: 'Subscribe to a topic of a running service, and print what it pushes.',
    load: async () => (await import('./commands/listen.ts')).fillListen,
  },
  {
    name: 'mcp',
    description: 'Let a program that speaks the Model Context Protocol ask a running service.',
    load: async () => (await import('./commands/mcp.ts')).fillMcp,
  },
  {
    name: 'decode',
    description: 'Print the swaps in answers of a node, one JSON object a line.',
    load: async () => (await import('./commands/decode.ts')).fillDecode,
  },
  {
    name: 'doctor',
    description:
      'Check nodes, database and machine of a configuration, or one node, and say what to do.',
    load: async () => (await import('./commands/doctor.ts')).fillDoctor,
  },
  {
    name: 'chains',
    description: 'List the chains that need nothing but the address of a node.',
    load: async () => (await import('./commands/chains.ts')).fillChains,
  },
  {
    name: 'backup',
    description: 'Copy all that is stored into one file, whether the service runs or not.',
    load: async () => (await import('./commands/backup.ts')).fillBackup,
  },
  {
    name: 'restore',
    description: 'Put a backup into an empty data directory or database.',
    load: async () => (await import('./commands/backup.ts')).fillRestore,
  },
  {
    name: 'export',
    description: 'Write stored swaps, klines and more as CSV or Parquet.',
    load: async () => (await import('./commands/export.ts')).fillExport,
  },
  {
    name: 'audit',
    description: 'Compare what is stored with the nodes of its chains, and repair what differs.',
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
