import { readdir, readFile } from 'node:fs/promises'
import type { Tape } from '@chaintape/client'
import { ToolError } from './tool.ts'

/** The resource that is the answer of the operation `status`. */
export const statusUri = 'chaintape://status'

const docsStart = 'chaintape://docs/'
// The same place from the source and from the build. An install from npm has no docs.
const docsFolder = new URL('../../../docs/', import.meta.url)

async function docNames(): Promise<string[]> {
  const names = await readdir(docsFolder, { recursive: true }).catch(() => [])
  return names.filter((name) => name.endsWith('.md')).sort()
}

export async function listResources() {
  const docs = (await docNames()).map((name) => ({
    uri: docsStart + name,
    name,
    mimeType: 'text/markdown',
  }))
  const description = 'How current each chain is, and whether it is live.'
  const status = { uri: statusUri, name: 'Status of the chains', mimeType: 'application/json' }
  return [{ ...status, description }, ...docs]
}

export async function readResource(tape: Tape, uri: string) {
  if (uri === statusUri)
    return { uri, mimeType: 'application/json', text: JSON.stringify(await tape.rest.status()) }
  const name = uri.startsWith(docsStart) ? uri.slice(docsStart.length) : ''
  // Only listed names: a URI must not become any other path.
  if (!(await docNames()).includes(name))
    throw new ToolError(`Unknown resource ${uri}; resources/list names all resources.`)
  const text = await readFile(new URL(name, docsFolder), 'utf8')
  return { uri, mimeType: 'text/markdown', text }
}
