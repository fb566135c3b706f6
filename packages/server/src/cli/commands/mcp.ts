import type { Command } from 'commander'
import { jsonOption } from '../configOptions.ts'
import type { CliContext } from '../context.ts'

export function fillMcp(command: Command, context: CliContext): void {
  command
    .requiredOption('--key <key>', 'an API key')
    .option('--url <address>', 'where the service is', 'http://127.0.0.1:8080')
    .option(...jsonOption)
    .addHelpText(
      'after',
      '\nPrograms that speak the Model Context Protocol start it and talk to it over its standard input and output: docs/mcp.md.',
    )
    .action(async ({ key, url }: { key: string; url: string }) => {
      await context.app.serveMcp({ version: context.version, url, apiKey: key })
    })
}
