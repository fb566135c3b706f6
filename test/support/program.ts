import { type ChildProcess, type ChildProcessByStdio, spawn } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import type { Readable } from 'node:stream'
import type { DevnetProfile } from '../../packages/devnet/src/profile.ts'
import { devnetChainConfig, localEvmKind } from '../../packages/server/src/app/demo/devnetSetup.ts'
import { internalLimits } from '../../packages/server/src/config/internalLimits.ts'

const root = resolve(import.meta.dirname, '../..')
const bin = 'packages/server/bin/chaintape.js'

export type Program = {
  child: ChildProcess
  /** All standard output so far. */
  stdout(): string
  stderr(): string
  /** Resolves with the exit code, or the signal that ended the process. */
  ended: Promise<number | NodeJS.Signals>
  /** Resolves with the first match in standard output; rejects if the process ends before. */
  untilOutput(pattern: RegExp): Promise<RegExpExecArray>
}

export type ProgramOptions = {
  /** Limit of open files. @default as this process */
  openFiles?: number
  /** Additional environment variables. @default none */
  env?: NodeJS.ProcessEnv
}

const withOpenFiles = (openFiles: number | undefined) =>
  openFiles === undefined ? [] : ['/bin/sh', '-c', `ulimit -n ${openFiles}; exec "$0" "$@"`]

/** Command line of the compiled program as typed into a shell; `tree` is where it is installed. */
export const programCommand = (args: readonly string[], tree = root): string[] => [
  process.execPath,
  join(tree, bin),
  ...args,
]

/** Runs the compiled program like a user; `tree` is where it is installed. */
export function runProgram(
  args: readonly string[],
  env: NodeJS.ProcessEnv = {},
  tree = root,
  { openFiles }: ProgramOptions = {},
): Program {
  const words = [...withOpenFiles(openFiles), ...programCommand(args, tree)]
  return watchProgram(
    spawn(words[0]!, words.slice(1), {
      env: { ...ownEnvironment(), ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    }),
  )
}

/**
 * Runs `npm start` as typed into a terminal: in a process group, which Ctrl-C signals as a whole.
 */
export function runNpmStart(args: readonly string[]): Program {
  return watchProgram(
    spawn('npm', ['start', '--', ...args], {
      cwd: root,
      env: ownEnvironment(),
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
    }),
  )
}

const ownEnvironment = () => ({ PATH: process.env.PATH, HOME: process.env.HOME })

/** Collects the output of a program that a test spawned. */
export function watchProgram(child: ChildProcessByStdio<null, Readable, Readable>): Program {
  let stdout = ''
  let stderr = ''
  const watchers = new Set<() => void>()
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text
    for (const look of watchers) look()
  })
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text
  })
  const ended = new Promise<number | NodeJS.Signals>((done) => {
    child.once('close', (code, signal) => done(code ?? signal ?? 'SIGKILL'))
  })
  return {
    child,
    stdout: () => stdout,
    stderr: () => stderr,
    ended,
    untilOutput(pattern) {
      return new Promise((found, failed) => {
        const look = () => {
          const match = pattern.exec(stdout)
          if (match === null) return
          watchers.delete(look)
          found(match)
        }
        watchers.add(look)
        look()
        void ended.then((code) =>
          failed(new Error(`It ended with ${code} before it wrote ${pattern}:\n${stderr}`)),
        )
      })
    },
  }
}

export type ReadyLine = {
  ready: true
  address: string
  /** URL that opens the terminal. */
  terminal_url: string
  api_key: string
  /** Unix seconds; null without an earlier start. */
  earlier_keys_until: number | null
  chains: string[]
  devnet_rpc_url: string
  localsol_rpc_url: string | null
  example_pair_id: string
}

/** Runs `chaintape start --json` on free ports; resolves when it prints its address. */
export async function startProgram(
  dataDir: string,
  args: readonly string[] = [],
  options: ProgramOptions = {},
): Promise<Program & { ready: ReadyLine }> {
  const ports = ['--port', '0', '--devnet-port', '0']
  const given = ['start', '--json', '--data-dir', dataDir, ...ports, ...args]
  const program = runProgram(given, options.env, root, options)
  // On a busy machine the ready line may come before the program has caught up.
  await program.untilOutput(/"ready":\s*(true|false)[\s\S]*\n\}|\{"ready":(true|false).*\}\n/)
  return { ...program, ready: JSON.parse(program.stdout()) as ReadyLine }
}

// Generous limits: on a slow machine no request may be refused, and no fact omitted or late,
// because of a timeout.
const patientLimits = {
  // Creations are found at unpredictable blocks, so two runs would store different rows.
  creation_searches_max: 0,
  share_reads_max: 0,
  key_lookup_ms_max: 60_000,
  resolve_ms_max: 10_000,
  risk_check_ms_max: 60_000,
  // The order of background checks depends on the machine and is visible in rows.
  risk_checks_per_min_max: 0,
  rpc_ms_max: 60_000,
  stop_ms_max: 60_000,
}

/** Splits limits into settings: limits that users cannot configure go to `testing`. */
export function splitLimits(given: object): { limits: object; testing: object } {
  const all = Object.entries(given)
  const isFixed = ([name]: [string, unknown]) => Object.hasOwn(internalLimits, name)
  return {
    limits: Object.fromEntries(all.filter((one) => !isFixed(one))),
    testing: Object.fromEntries(all.filter(isFixed)),
  }
}

/**
 * Writes a config file with limits for slow machines. The second local chain runs only if `devnet`
 * enables it.
 */
export async function writePatientConfig(
  dataDir: string,
  { devnet = {}, ...settings }: { devnet?: object; [name: string]: unknown } = {},
): Promise<string> {
  const file = join(dataDir, 'config.json')
  // Tests read the example pair of the ready line, which is unknown until the local chain is ready.
  const limits = splitLimits({ ...patientLimits, ready_ms_max: 600_000 })
  const config = { ...limits, devnet: { solana: false, ...devnet }, ...settings }
  await writeFile(file, JSON.stringify(config))
  return file
}

/** Runs `chaintape start` with such a config. */
export async function startPatientProgram(
  dataDir: string,
  settings: { devnet?: object; [name: string]: unknown } = {},
): Promise<Program & { ready: ReadyLine }> {
  return await startProgram(dataDir, ['--config', await writePatientConfig(dataDir, settings)])
}

/** API key of every service with such a config. */
export const testApiKey = 'a-key-for-tests'

// Test chains have fixed times in the past, so retention must keep very old days.
const daysMax = 36_500
export const keepAllRetention = {
  log: daysMax,
  swaps: daysMax,
  liquidity: daysMax,
  klines_s1: daysMax,
  klines_k1: daysMax,
}

/** `keepAllDays` as settings. */
export const keepAllSettings = Object.fromEntries(
  Object.entries(keepAllRetention).map(([table, days]) => [`${table}_days`, days]),
)

export type ChainConfigChanges = { limits?: object; chain?: object; settings?: object }

/** Writes a config file that makes the program index another process's local chain. */
export async function writeChainConfig(
  dataDir: string,
  { rpcUrl, profile }: { rpcUrl: string; profile: DevnetProfile },
  { limits = {}, chain = {}, settings = {} }: ChainConfigChanges = {},
): Promise<string> {
  const file = join(dataDir, 'config.json')
  const config = {
    data_dir: dataDir,
    api_key: testApiKey,
    log: { level: 'warn' },
    retention: keepAllSettings,
    ...splitLimits({ ...patientLimits, ...limits }),
    ...settings,
    chains: {
      [profile.name]: {
        ...devnetChainConfig(localEvmKind, { rpcUrl, wsUrl: '', profile, genesisHash: '' }),
        rpc: [{ http_url: rpcUrl, requests_per_second_max: 100_000 }],
        finality: 16,
        poll_ms: 50,
        ...chain,
      },
    },
  }
  await writeFile(file, JSON.stringify(config))
  return file
}
