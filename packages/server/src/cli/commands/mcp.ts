import type { Command } from 'commander'
import { type ApiKeyFlags, addApiKeyOptions, apiKeyOf, jsonOption } from '../configOptions.ts'
import type { CliContext } from '../context.ts'

export function fillMcp(command: Command, context: CliContext): void {
  addApiKeyOptions(command)
    .option('--url <address>', 'URL of the service', 'http://127.0.0.1:8080')
    .option(...jsonOption)
    .addHelpText(
      'after',
      '\nPrograms that speak the Model Context Protocol start it and talk to it over its standard input and output: docs/reference/mcp.md.',
    )
    .action(async ({ url, ...flags }: ApiKeyFlags & { url: string }) => {
      const apiKey = apiKeyOf(flags, command, context)
      await context.app.serveMcp({ version: context.version, url, apiKey })
    })
}
