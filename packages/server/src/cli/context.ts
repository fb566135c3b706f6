import { readFileSync } from 'node:fs'
import { createInterface } from 'node:readline/promises'
import { buffer } from 'node:stream/consumers'
import type { runDevnet } from '../app/demo/runDevnet.ts'
import type { serveMcp } from '../app/roles/mcp.ts'
import type { startApp } from '../app/startApp.ts'
import { exitProcess, type SignalSource } from '../lib/shutdown.ts'
import type { auditData } from '../ops/auditData.ts'
import type { backupData, restoreData } from '../ops/backupData.ts'
import type { decodeFile } from '../ops/decodeFile.ts'
import type { checkUrl, runDoctor } from '../ops/doctor/doctor.ts'
import type { exportData } from '../ops/exportData.ts'
import type { listen } from '../ops/listen.ts'
import type { openKeys } from '../ops/openKeys.ts'
import type { readStoredStatus } from '../ops/readStoredStatus.ts'
import type { runBackfill } from '../ops/runBackfill.ts'

/** A stream for a command's results or errors. */
export type TextSink = {
  write(text: string): void
  isTTY: boolean
  /** True if the terminal has colors and the user wants them (NO_COLOR, TERM). @default false */
  hasColors?: boolean | undefined
  columns: number
}

/** Everything that commands use of the outside world, so that tests can run them in process. */
export type CliContext = {
  version: string
  stdout: TextSink
  stderr: TextSink
  /** Writes to standard output; resolves once it accepts more. */
  writeBytes(bytes: Uint8Array): Promise<void>
  /** Reads all of standard input. */
  readInput(): Promise<Buffer>
  /** Asks the person at the terminal; null without one. */
  ask: ((question: string) => Promise<string>) | null
  /**
   * Has the reader of standard output gone away? Then the command's result does not matter.
   * @default false
   */
  isUnread?(): boolean
  signals: SignalSource
  /** Ends the process at once; only used on a second signal. */
  exit(code: number): void
  nowMs(): number
  /** The environment for the configuration. @default the process's own */
  env: Readonly<Record<string, string | undefined>> | undefined
  app: AppFunctions
}

/** The functions behind the commands. Types only: each is loaded when it is called. */
export type AppFunctions = {
  startApp: typeof startApp
  runBackfill: typeof runBackfill
  readStoredStatus: typeof readStoredStatus
  openKeys: typeof openKeys
  backupData: typeof backupData
  restoreData: typeof restoreData
  exportData: typeof exportData
  decodeFile: typeof decodeFile
  checkUrl: typeof checkUrl
  runDevnet: typeof runDevnet
  runDoctor: typeof runDoctor
  listen: typeof listen
  serveMcp: typeof serveMcp
  auditData: typeof auditData
}

// As shells report a program that SIGINT ended.
const exitCodeOfInterrupt = 130

// Assumed width of a terminal that does not report one.
const columnsFallback = 80

/** The real outside world for the commands. */
export function processContext(): CliContext {
  return {
    version: readVersion(),
    stdout: sinkOf(process.stdout),
    stderr: sinkOf(process.stderr),
    writeBytes: (bytes) =>
      new Promise((resolve, reject) => {
        process.stdout.write(bytes, (error) => (error ? reject(error) : resolve()))
      }),
    readInput: () => buffer(process.stdin),
    ask: process.stdin.isTTY && process.stdout.isTTY ? askTerminal : null,
    signals: process,
    exit: (code) => void exitProcess(code),
    nowMs: Date.now,
    env: undefined,
    app: lazyApp,
  }
}

/** Ctrl-C and a closed input end the program. */
async function askTerminal(question: string): Promise<string> {
  const terminal = createInterface({ input: process.stdin, output: process.stdout })
  const onClose = () => void exitProcess(exitCodeOfInterrupt)
  terminal.once('close', onClose)
  const answer = await terminal.question(question)
  terminal.off('close', onClose).close()
  return answer
}

function sinkOf(stream: NodeJS.WriteStream): TextSink {
  return {
    write: (text) => void stream.write(text),
    isTTY: stream.isTTY === true,
    hasColors: stream.isTTY === true && stream.hasColors(),
    get columns() {
      // Some terminals report a width of 0.
      return stream.columns || columnsFallback
    },
  }
}

/** The version of this program's package. */
function readVersion(): string {
  const file = new URL('../../package.json', import.meta.url)
  return (JSON.parse(readFileSync(file, 'utf8')) as { version: string }).version
}

/** Loads the service on demand: it is most of the program. */
export const lazyApp: AppFunctions = {
  startApp: async (...given) => await (await import('../app/startApp.ts')).startApp(...given),
  runBackfill: async (...given) =>
    await (await import('../ops/runBackfill.ts')).runBackfill(...given),
  readStoredStatus: async (...given) =>
    await (await import('../ops/readStoredStatus.ts')).readStoredStatus(...given),
  openKeys: async (...given) => await (await import('../ops/openKeys.ts')).openKeys(...given),
  backupData: async (...given) => await (await import('../ops/backupData.ts')).backupData(...given),
  restoreData: async (...given) =>
    await (await import('../ops/backupData.ts')).restoreData(...given),
  exportData: async (...given) => await (await import('../ops/exportData.ts')).exportData(...given),
  auditData: async (...given) => await (await import('../ops/auditData.ts')).auditData(...given),
  listen: async (...given) => await (await import('../ops/listen.ts')).listen(...given),
  serveMcp: async (...given) => await (await import('../app/roles/mcp.ts')).serveMcp(...given),
  decodeFile: async (...given) => await (await import('../ops/decodeFile.ts')).decodeFile(...given),
  runDevnet: async (...given) =>
    await (await import('../app/demo/runDevnet.ts')).runDevnet(...given),
  runDoctor: async (...given) =>
    await (await import('../ops/doctor/doctor.ts')).runDoctor(...given),
  checkUrl: async (...given) => await (await import('../ops/doctor/doctor.ts')).checkUrl(...given),
}
