// For Node, Bun and Deno: prints the result of the trial as one line.
import process from 'node:process'
import { tryClient } from './tryClient.mjs'

const { URL_OF_SERVICE: url, KEY: key, TOKEN_ID: tokenId } = process.env
process.stdout.write(`${JSON.stringify(await tryClient({ url, key, tokenId }))}\n`)
process.exit(0)
