// What an earlier version stored, as a backup, with what that version answered about it.
import { readdirSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { gunzipSync, gzipSync } from 'node:zlib'
import type { RecordedRequest, StoredService } from './storedService.ts'

const root = resolve(import.meta.dirname, '../fixtures/services')

export type RecordedAnswer = RecordedRequest & { status: number; text: string }

export type FixtureFacts = {
  /** Formats that it has the bytes of. */
  schema: number
  snapshotFormat: number
  /** When the answers were given: shortly after the newest block. */
  nowMs: number
  /** The newest block. */
  head: { number: number; hash: string }
  /** Of no plan's limits, and of the plan pro. Hashes of them are stored. */
  keys: { unlimited: string; pro: string }
}

/** A change of answers that was meant to be. The named fields are left out of the comparison. */
export type IntendedChange = {
  /** A regular expression of the requests, as `METHOD url`. */
  requests: string
  fields: readonly string[]
  reason: string
}

export type ServiceFixture = {
  name: string
  facts: FixtureFacts
  backupFile: string
  answers: readonly RecordedAnswer[]
  intended: readonly IntendedChange[]
}

export const fixtureDirOf = (name: string) => join(root, name)

const backupName = 'backup.ctb'
const answersName = 'answers.json.gz'

export async function readFixture(name: string): Promise<ServiceFixture> {
  const folder = fixtureDirOf(name)
  const json = async (file: string) => JSON.parse(await readFile(join(folder, file), 'utf8'))
  return {
    name,
    facts: await json('facts.json'),
    backupFile: join(folder, backupName),
    answers: JSON.parse(gunzipSync(await readFile(join(folder, answersName))).toString()),
    intended: await json('intended.json'),
  }
}

export function fixtureNames(): string[] {
  return readdirSync(root).toSorted()
}

/** The backup is there already. */
export async function writeFixture(
  name: string,
  facts: FixtureFacts,
  answers: readonly RecordedAnswer[],
): Promise<void> {
  const folder = fixtureDirOf(name)
  const text = (value: unknown) => `${JSON.stringify(value, null, 2)}\n`
  await writeFile(join(folder, 'facts.json'), text(facts))
  await writeFile(join(folder, 'intended.json'), text([]))
  await writeFile(join(folder, answersName), gzipSync(JSON.stringify(answers), { level: 9 }))
}

/** Whose key asks: usage is of the key with a plan, the rest of the one without limits. */
export function keyOf({ keys }: FixtureFacts, { url }: RecordedRequest): string {
  return url === '/v2/usage' ? keys.pro : keys.unlimited
}

export async function answersOf(
  service: StoredService,
  facts: FixtureFacts,
  requests: readonly RecordedRequest[],
): Promise<RecordedAnswer[]> {
  const answers: RecordedAnswer[] = []
  for (const { method, url, body } of requests) {
    const request: RecordedRequest = { method, url, ...(body !== undefined && { body }) }
    const { status, text } = await service.ask(request, keyOf(facts, request))
    answers.push({ ...request, status, text: stableText(request, text) })
  }
  return answers
}

const statusFields = ['head_block', 'head_hash', 'finalized_block', 'persisted_block', 'pairs']
const historyFields = ['tokens', 'first_block', 'history_from', 'history_known']

/** Of the status what follows from the store alone; any other answer as it is. */
function stableText({ url }: RecordedRequest, text: string): string {
  if (url !== '/v2/status') return text
  const { chains } = JSON.parse(text) as { chains: Record<string, unknown>[] }
  const fields = [...statusFields, ...historyFields]
  return JSON.stringify(chains.map((chain) => fields.map((field) => [field, chain[field]])))
}

/** What is not as it was, in words; nothing where all differences were intended. */
export function differencesOf(
  { answers: expected, intended }: ServiceFixture,
  actual: readonly RecordedAnswer[],
): string[] {
  return expected.flatMap((wanted, at) => {
    const found = actual[at]!
    const name = `${wanted.method} ${wanted.url}`
    if (found.status !== wanted.status) return `${name}: ${found.status}, not ${wanted.status}`
    if (found.text === wanted.text) return []
    const fields = intended
      .filter(({ requests }) => new RegExp(requests).test(name))
      .flatMap((change) => change.fields)
    if (fields.length > 0 && without(found.text, fields) === without(wanted.text, fields)) return []
    return firstDifference(name, found.text, wanted.text)
  })
}

function without(text: string, fields: readonly string[]): string {
  return JSON.stringify(JSON.parse(text), (key, value) =>
    fields.includes(key) ? undefined : value,
  )
}

const shownChars = 120

function firstDifference(name: string, found: string, wanted: string): string {
  let at = 0
  while (found[at] === wanted[at]) at += 1
  const from = Math.max(0, at - shownChars / 2)
  const part = (text: string) => text.slice(from, from + shownChars)
  return `${name}: at ${at}: ${part(found)} was ${part(wanted)}`
}
