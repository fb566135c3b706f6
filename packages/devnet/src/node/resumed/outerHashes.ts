import { type Hex, keccak256 } from 'viem'
import type { Request } from '../provider.ts'
import { blockHashOf, type RpcHeader } from './blockHash.ts'

/**
 * An EVM that was started from a state knows nothing of the blocks before it: its blocks have another parent, so other hashes.
 * All else in them is what it would be. This gives each the hash it has on the chain that goes on.
 */
export type OuterHashes = {
  /** Learns which blocks the EVM has now. */
  follow(): Promise<void>
  /** With the chain's hashes in place of the EVM's. Undefined: a block is in it that is not known yet. */
  toOuter(answer: unknown): { answer: unknown } | undefined
  /** With the EVM's hashes in place of the chain's. */
  toInner(params: readonly unknown[]): readonly unknown[]
}

type Link = { number: number; inner: string; outer: Hex; beaconRoot: Hex }

type InnerHeader = RpcHeader & { hash: Hex }

/** `base` is the newest block of the chain that the EVM began behind. */
export function createOuterHashes(
  request: Request,
  base: { number: number; inner: string; outer: string; beaconRoot: string },
): OuterHashes {
  const first: Link = { ...base, outer: base.outer as Hex, beaconRoot: base.beaconRoot as Hex }
  const links: Link[] = [first]
  const byInner = new Map([[first.inner, first]])
  const innerOf = new Map<string, string>([[first.outer, first.inner]])
  let following: Promise<void> = Promise.resolve()

  async function readHeader(tag: string): Promise<InnerHeader | null> {
    const method = tag.length === 66 ? 'eth_getBlockByHash' : 'eth_getBlockByNumber'
    return (await request(method, [tag, false])) as InnerHeader | null
  }

  function forget(count: number): void {
    for (const { inner, outer } of links.splice(links.length - count)) {
      byInner.delete(inner)
      innerOf.delete(outer)
    }
  }

  function learn(header: InnerHeader): void {
    const parent = links.at(-1)!
    // The EVM makes this root up: each is the hash of the one before.
    const beaconRoot = keccak256(parent.beaconRoot)
    const outer = blockHashOf({
      ...header,
      parentHash: parent.outer,
      parentBeaconBlockRoot: beaconRoot,
    })
    const link = { number: Number(header.number), inner: header.hash, outer, beaconRoot }
    links.push(link)
    byInner.set(link.inner, link)
    innerOf.set(outer, link.inner)
  }

  async function followNow(): Promise<void> {
    const headers: InnerHeader[] = []
    let header = await readHeader('latest')
    while (header && !byInner.has(header.hash)) {
      headers.push(header)
      header = await readHeader(header.parentHash)
    }
    // Reverted meanwhile.
    if (!header) return await followNow()
    forget(links.at(-1)!.number - byInner.get(header.hash)!.number)
    for (const next of headers.reverse()) learn(next)
  }

  return {
    follow() {
      following = following.catch(() => {}).then(followNow)
      return following
    },
    toOuter(answer) {
      let isWhole = true
      function translate(value: unknown): unknown {
        if (typeof value === 'string')
          return value.length === 66 ? (byInner.get(value)?.outer ?? value) : value
        if (Array.isArray(value)) return value.map(translate)
        if (typeof value !== 'object' || value === null) return value
        const told: Record<string, unknown> = {}
        for (const [key, part] of Object.entries(value)) told[key] = translate(part)
        const { blockHash, parentHash, hash } = value as Record<string, string | null | undefined>
        const own = parentHash === undefined ? blockHash : hash
        const link = own ? byInner.get(own) : undefined
        if ((own && !link) || (parentHash && !byInner.has(parentHash) && link !== first))
          isWhole = false
        if (link && 'parentBeaconBlockRoot' in told) told.parentBeaconBlockRoot = link.beaconRoot
        return told
      }
      const translated = translate(answer)
      return isWhole ? { answer: translated } : undefined
    },
    toInner: (params) => params.map((param) => withInner(param, innerOf)),
  }
}

function withInner(param: unknown, innerOf: ReadonlyMap<string, string>): unknown {
  if (typeof param === 'string') return innerOf.get(param) ?? param
  if (typeof param !== 'object' || param === null || !('blockHash' in param)) return param
  const { blockHash } = param as { blockHash: string }
  return { ...param, blockHash: innerOf.get(blockHash) ?? blockHash }
}
