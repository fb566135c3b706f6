import { CommanderError } from 'commander'
import type { CliContext } from './context.ts'
import { exitCodeOf, printError } from './output.ts'
import { createProgram } from './program.ts'

const usageExitCode = 2

/** Runs one command and gives the exit code: 0, 1, 2 for usage, 75 for what may work later. */
export async function runCli(args: readonly string[], context: CliContext): Promise<number> {
  const isJson = args.includes('--json')
  let usageText = ''
  const program = createProgram(context, (text) => {
    usageText += text
  })
  try {
    await program.parseAsync(args, { from: 'user' })
    return 0
  } catch (error) {
    if (!(error instanceof CommanderError)) {
      printError(context.stderr, error, isJson)
      return exitCodeOf(error)
    }
    // Help and version that were asked for are answers, not mistakes.
    if (error.exitCode === 0) return 0
    context.stderr.write(isJson ? usageJson(usageText) : usageText)
    return usageExitCode
  }
}

function usageJson(text: string): string {
  const message = text.trim().replace(/^error: /, '')
  return `${JSON.stringify({ error: { code: 'USAGE', message, meta: [], retryable: false } })}\n`
}
