import { CommanderError } from 'commander'
import { toStoreError } from '../store/errors.ts'
import type { CliContext } from './context.ts'
import { createProgram } from './program.ts'
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
