import type { Request } from './provider.ts'

export type Head = { number: number; timestampS: number; hash: string; parentHash: string }

export async function readHead(request: Request): Promise<Head> {
  const block = (await request('eth_getBlockByNumber', ['latest', false])) as {
    number: string
    timestamp: string
    hash: string
    parentHash: string
  }
  const { number, timestamp, hash, parentHash } = block
  return { number: Number(number), timestampS: Number(timestamp), hash, parentHash }
}
