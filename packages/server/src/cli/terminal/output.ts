import { AppError } from '../../lib/errors.ts'
import { escapeText } from '../../lib/escapeText.ts'
import type { CliContext, TextSink } from '../context.ts'

/** Prints a command's result: lines for people, or one JSON object. */
export function printResult(
  { stdout }: CliContext,
  { isJson, json, lines }: { isJson: boolean; json: unknown; lines: () => readonly string[] },
): void {
  printLines(stdout, isJson ? [JSON.stringify(json)] : lines())
}

/** Prints each text as one line. Names, nodes and services may contain control characters. */
export function printLines(sink: Pick<TextSink, 'write'>, lines: readonly string[]): void {
  sink.write(lines.map((line) => `${escapeText(line)}\n`).join(''))
}

/** Exit codes as in sysexits.h: 75 means that the same command may work later. */
export function exitCodeOf(error: unknown): number {
  return error instanceof AppError && error.retryable ? 75 : 1
}

/** Code, message and facts of an error; a stack only for unexpected ones. */
export function printError(stderr: Pick<TextSink, 'write'>, error: unknown, isJson: boolean): void {
  const { code, message, meta, retryable } = describeError(error)
  const json = { error: { code, message, meta, retryable } }
  const lines = [`${code}: ${message}`, ...meta.map((line) => `  ${line}`)]
  printLines(stderr, isJson ? [JSON.stringify(json)] : lines)
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

/** Rows as lines, with columns as wide as their widest cell. The last column is not padded. */
export function table(rows: readonly (readonly string[])[]): string[] {
  const widths = (rows[0] ?? []).map((_, i) => Math.max(...rows.map((row) => row[i]!.length)))
  return rows.map((row) =>
    row
      .map((cell, i) => cell.padEnd(widths[i]!))
      .join('  ')
      .trimEnd(),
  )
}

/** Formats Unix seconds for people. */
export function timeText(timeS: number | null): string {
  return timeS === null ? '-' : new Date(timeS * 1_000).toISOString().replace('.000Z', 'Z')
}

/** Colors for a terminal; the text unchanged if it has none or the user wants none. */
export type Style = Record<'bold' | 'dim' | 'good' | 'bad' | 'accent' | 'warning', Paint>

type Paint = (text: string) => string

const plain: Paint = (text) => text

// Styles by their SGR numbers.
const painted = (code: number): Paint => {
  return (text) => `\x1b[${code}m${text}\x1b[0m`
}

const coloured: Style = {
  bold: painted(1),
  dim: painted(2),
  good: painted(32),
  bad: painted(31),
  accent: painted(36),
  warning: painted(33),
}

export const unstyled: Style = {
  bold: plain,
  dim: plain,
  good: plain,
  bad: plain,
  accent: plain,
  warning: plain,
}

export function styleOf({ hasColors }: Pick<TextSink, 'hasColors'>): Style {
  return hasColors ? coloured : unstyled
}
