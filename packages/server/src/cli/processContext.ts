import type { CliContext, TextSink } from './context.ts'
import { loadApp } from './loadApp.ts'
import { readVersion } from './version.ts'

// What a terminal that does not tell its width is taken for.
const columnsFallback = 80

/** The real world for the commands. */
export function processContext(): CliContext {
  return {
    version: readVersion(),
    stdout: sinkOf(process.stdout),
    stderr: sinkOf(process.stderr),
    signals: process,
    exit: (code) => process.exit(code),
    nowMs: Date.now,
    env: undefined,
    loadApp,
  }
}

function sinkOf(stream: NodeJS.WriteStream): TextSink {
  return {
    write: (text) => void stream.write(text),
    isTTY: stream.isTTY === true,
    get columns() {
      return stream.columns ?? columnsFallback
    },
  }
}
