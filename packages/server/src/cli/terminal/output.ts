import { AppError } from '../../lib/errors.ts'
import type { CliContext, TextSink } from '../context.ts'

/** A command's result: text for people, or one JSON object. */
export function printResult(
  { stdout }: CliContext,
  { isJson, json, text }: { isJson: boolean; json: unknown; text: () => string },
): void {
  stdout.write(isJson ? `${JSON.stringify(json)}\n` : `${text()}\n`)
}

/** Exit codes as in sysexits.h: 75 says that the same command may work later. */
export function exitCodeOf(error: unknown): number {
  return error instanceof AppError && error.retryable ? 75 : 1
}

/** Code, sentence and facts of an error; the stack only of those nobody threw on purpose. */
export function printError(stderr: Pick<TextSink, 'write'>, error: unknown, isJson: boolean): void {
  const { code, message, meta, retryable } = describeError(error)
  if (isJson) stderr.write(`${JSON.stringify({ error: { code, message, meta, retryable } })}\n`)
  else stderr.write([`${code}: ${message}`, ...meta.map((line) => `  ${line}`), ''].join('\n'))
}

function describeError(error: unknown) {
  if (error instanceof AppError) {
    const cause = error.cause instanceof Error ? [`Cause: ${error.cause.message}`] : []
    return {
      code: error.code,
      message: error.shortMessage,
      meta: [...error.meta, ...cause],
      retryable: error.retryable,
    }
  }
  const stack = error instanceof Error ? (error.stack ?? '').split('\n').slice(1) : []
  return {
    code: 'UNEXPECTED',
    message: error instanceof Error ? error.message : String(error),
    meta: stack.map((line) => line.trim()),
    retryable: false,
  }
}

/** Columns as wide as their widest cell; the last is not padded. */
export function table(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, i) => Math.max(...rows.map((row) => row[i]!.length)))
  return rows
    .map((row) =>
      row
        .map((cell, i) => cell.padEnd(widths[i]!))
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}

/** Unix seconds as people read them. */
export function timeText(timeS: number | null): string {
  return timeS === null ? '-' : new Date(timeS * 1_000).toISOString().replace('.000Z', 'Z')
}
