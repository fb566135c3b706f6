import type { SignalSource } from '../lib/shutdown.ts'
import type { AppFunctions } from './appFunctions.ts'

/** A stream that a command writes its results or its complaints to. */
export type TextSink = {
  write(text: string): void
  isTTY: boolean
  columns: number
}

/** Everything the commands touch of the world, so that tests can run them in process. */
export type CliContext = {
  version: string
  stdout: TextSink
  stderr: TextSink
  signals: SignalSource
  /** Ends the process at once: for a second signal only. */
  exit(code: number): void
  nowMs(): number
  /** The environment for the configuration; undefined: the process's own. */
  env: Readonly<Record<string, string | undefined>> | undefined
  /** Loaded when a command needs it: help and checks stay fast. */
  loadApp(): Promise<AppFunctions>
}
