import { readFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { serveMcpStdio } from './serveMcp.ts'

const usage = `Serves market data of a Chaintape service over the Model Context Protocol, on standard input and output.

Usage: chaintape-mcp [--url <address>] [--key-file <file>]

  --url <address>    address of the service (default: CHAINTAPE_URL, else http://127.0.0.1:8080)
  --key-file <file>  file that contains the API key (default: CHAINTAPE_API_KEY)
`

/** Ends the process with a sentence that says what to change. */
function refuse(sentence: string): never {
  process.stderr.write(`chaintape-mcp: ${sentence}\n\n${usage}`)
  process.exit(2)
}

function optionsGiven() {
  try {
    return parseArgs({
      options: {
        url: { type: 'string' },
        'key-file': { type: 'string' },
        help: { type: 'boolean' },
      },
    }).values
  } catch (error) {
    return refuse((error as Error).message)
  }
}

function keyIn(file: string): string {
  try {
    return readFileSync(file, 'utf8').trim()
  } catch (error) {
    return refuse(`The key file cannot be read: ${(error as Error).message}.`)
  }
}

const { url, help, 'key-file': keyFile } = optionsGiven()
const { CHAINTAPE_API_KEY: keyGiven, CHAINTAPE_URL: urlGiven } = process.env
if (help) process.stdout.write(usage)
else {
  const apiKey = keyFile === undefined ? keyGiven : keyIn(keyFile)
  if (!apiKey) refuse('No API key: set CHAINTAPE_API_KEY, or name a file with --key-file.')
  const manifest = readFileSync(new URL('../package.json', import.meta.url), 'utf8')
  const { version } = JSON.parse(manifest) as { version: string }
  await serveMcpStdio({ version, apiKey, url: url ?? urlGiven ?? 'http://127.0.0.1:8080' })
}
