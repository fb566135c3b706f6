import { readFileSync } from 'node:fs'

/** A recorded request and answer of one operation, made on the local development chain. */
export type OperationExample = {
  /** Values of the recorded request's parameters, by parameter name. */
  inputs: Readonly<Record<string, string>>
  body?: unknown
  /**
   * The recorded answer, without the envelope that `response_envelope: always` adds. Lists are cut
   * to their first rows.
   */
  answer: unknown
}

type Examples = {
  /** Recorded examples by operation id. */
  operations: Readonly<Record<string, OperationExample>>
  /** Examples of WebSocket calls, answers and pushes, by message name in the AsyncAPI document. */
  messages: Readonly<Record<string, readonly object[]>>
}

// This relative path is correct from both the source folder and the build folder.
export const examplesFile = new URL('../../../../static/examples.json', import.meta.url)

let read: Examples | undefined

/**
 * Returns the examples recorded by scripts/writeExamples.ts. The file is read on the first call.
 */
export function readExamples(): Examples {
  read ??= JSON.parse(readFileSync(examplesFile, 'utf8')) as Examples
  return read
}
