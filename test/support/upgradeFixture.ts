// Files of test/fixtures/upgrade: data that versions of the program wrote, and the results they
// read from it.
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { gunzipSync, gzipSync } from 'node:zlib'

const folder = resolve(import.meta.dirname, '../fixtures/upgrade')

/** Names of all fixtures of a kind, the oldest version first. */
export function fixturesOf(kind: string): string[] {
  const names = readdirSync(folder).map((file) => file.slice(0, -'.gz'.length))
  const versionOf = (name: string) => Number(name.slice(kind.length))
  return names
    .filter((name) => name.startsWith(kind) && Number.isInteger(versionOf(name)))
    .sort((a, b) => versionOf(a) - versionOf(b))
}

export function readFixture(name: string): Buffer {
  return gunzipSync(readFileSync(resolve(folder, `${name}.gz`)))
}

/**
 * The expected result of a fixture. If it equals that of an earlier version, only the earlier file
 * exists.
 */
export function readExpected(name: string, part: string): Buffer {
  const [, kind, version] = /^(\D+)(\d+)$/.exec(name)!
  const written = fixturesOf(kind!).filter(
    (other) =>
      Number(other.slice(kind!.length)) <= Number(version) && hasFixture(`${other}.${part}`),
  )
  return readFixture(`${written.at(-1)}.${part}`)
}

export function writeExpected(name: string, part: string, bytes: Uint8Array): void {
  const [, kind] = /^(\D+)\d+$/.exec(name)!
  const isWritten = fixturesOf(kind!).some((other) => hasFixture(`${other}.${part}`))
  if (!isWritten || !readExpected(name, part).equals(bytes)) writeFixture(`${name}.${part}`, bytes)
}

export function hasFixture(name: string): boolean {
  return existsSync(resolve(folder, `${name}.gz`))
}

export function writeFixture(name: string, bytes: Uint8Array): void {
  writeFileSync(resolve(folder, `${name}.gz`), gzipSync(bytes, { level: 9 }))
}

/** Bigints are written as text with a trailing n. */
export function toJson(value: unknown): string {
  return JSON.stringify(value, (_, item: unknown) => {
    if (typeof item === 'bigint') return `${item}n`
    return item === Number.POSITIVE_INFINITY ? 'Infinity' : item
  })
}

export function fromJson<value>(text: string): value {
  return JSON.parse(text, (_, item: unknown) => {
    if (item === 'Infinity') return Number.POSITIVE_INFINITY
    return typeof item === 'string' && /^-?\d+n$/.test(item) ? BigInt(item.slice(0, -1)) : item
  }) as value
}

/** Concatenates byte strings, each preceded by its length. */
export function joinBytes(parts: readonly Uint8Array[]): Buffer {
  return Buffer.concat(
    parts.flatMap((part) => {
      const length = Buffer.alloc(4)
      length.writeUInt32LE(part.length)
      return [length, part]
    }),
  )
}

/** Splits the result of `joinBytes`. */
export function splitBytes(bytes: Buffer): Buffer[] {
  const parts: Buffer[] = []
  for (let at = 0; at < bytes.length; ) {
    const end = at + 4 + bytes.readUInt32LE(at)
    parts.push(bytes.subarray(at + 4, end))
    at = end
  }
  return parts
}
