import { readFileSync } from 'node:fs'

/** An operation as the local chain answered it. */
export type OperationExample = {
  /** Indexed by input name. */
  inputs: Readonly<Record<string, string>>
  body?: unknown
  /**
   * Lists have their first rows only. Without the envelope that `response_envelope: always` adds.
   */
  answer: unknown
}

type Examples = {
  /** Indexed by operation id. */
  operations: Readonly<Record<string, OperationExample>>
  /** Calls, answers and pushes of a socket, by the name of the message in the AsyncAPI document. */
  messages: Readonly<Record<string, readonly object[]>>
}

// The folder has the same place seen from the source and from the build.
export const examplesFile = new URL('../../../static/examples.json', import.meta.url)

let read: Examples | undefined

/** Examples recorded by scripts/writeExamples.ts; read at the first call. */
export function readExamples(): Examples {
  read ??= JSON.parse(readFileSync(examplesFile, 'utf8')) as Examples
  return read
}
