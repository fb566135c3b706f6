import { expect, test } from 'vitest'
import { createMemoryStore } from '../../../../../test/support/memoryStore.ts'
import { createServedChain } from '../../../../../test/support/servedChain.ts'
import { partsEtag, RowCache } from './rowCache.ts'

const partBytes = 1_000
// Room for six parts of 1,000 bytes, including the overhead of each entry.
const bytesMax = 10_000

/** A chain with ten tokens, and a cache whose parts encode the tokens' ids. */
function createRig() {
  const { gatewayChain: chain, token, mine } = createServedChain({ store: createMemoryStore() })
  for (let count = 0; count < 10; count += 1) token()
  mine()
  const made: string[] = []
  let revision = 0
  const cache = new RowCache(bytesMax)
  const make = (name: string, sizeBytes: number) => (_: unknown, id: number) => {
    made.push(`${name} ${id}`)
    const text = `${name} ${id}`
    return { value: ['x'.repeat(sizeBytes - text.length), text], validUntilS: 1_000 }
  }
  const lasting = cache.lasting('token', make('lasting', partBytes), () => revision)
  return {
    chain,
    made: () => made.splice(0),
    moving: cache.moving(make('moving', partBytes)),
    huge: cache.moving(make('huge', bytesMax)),
    lasting,
    revise: () => {
      revision += 1
    },
  }
}

test('default: a moving part is made again in the next version, a lasting part is not', () => {
  const { chain, moving, lasting, made } = createRig()
  for (const version of [1, 1, 2]) {
    expect(`${moving(chain, 3, version, 7).bytes}`).toMatch(/^x+moving 3$/)
    expect(`${lasting(chain, 3, version, 7).bytes}`).toMatch(/^x+lasting 3$/)
  }
  expect(made()).toEqual(['moving 3', 'lasting 3', 'moving 3'])
})

test('behavior: both parts expire by time, the lasting part also by its revision', () => {
  const { chain, moving, lasting, made, revise } = createRig()
  const read = (version: number, nowS: number) => {
    moving(chain, 3, version, nowS)
    lasting(chain, 3, version, nowS)
    return made()
  }
  read(1, 999)
  expect(read(1, 1_000)).toEqual(['moving 3', 'lasting 3'])
  read(1, 7)
  revise()
  expect(read(2, 7)).toEqual(['moving 3', 'lasting 3'])
  expect(read(2, 7)).toEqual([])
})

test('args: bytesMax evicts the least recently used part first', () => {
  const { chain, moving, lasting, made } = createRig()
  lasting(chain, 0, 1, 7)
  for (let id = 1; id < 6; id += 1) moving(chain, id, 1, 7)
  // The part is still valid in version 2, so reading it counts as use.
  lasting(chain, 0, 2, 7)
  moving(chain, 6, 1, 7)
  made()
  lasting(chain, 0, 2, 7)
  for (let id = 6; id > 0; id -= 1) moving(chain, id, 1, 7)
  expect(made()).toEqual(['moving 1'])
})

test('args: a part larger than bytesMax is made each time', () => {
  const { chain, moving, huge, made } = createRig()
  moving(chain, 1, 1, 7)
  for (let count = 0; count < 2; count += 1)
    expect(huge(chain, 2, 1, 7).bytes).toHaveLength(bytesMax)
  moving(chain, 1, 1, 7)
  expect(made()).toEqual(['moving 1', 'huge 2', 'huge 2', 'moving 1'])
})

test('behavior: a reopened chain has new parts', () => {
  const [first, second] = [createRig(), createRig()]
  first.moving(first.chain, 3, 1, 7)
  first.moving(second.chain, 3, 1, 7)
  expect(first.made()).toEqual(['moving 3', 'moving 3'])
})

test('behavior: a tag depends on the bytes, their order and the text around them', () => {
  const { chain, moving } = createRig()
  const parts = [1, 2, 3, 4, 5].map((id) => moving(chain, id, 1, 7))
  const [one, two] = parts
  const again = moving(chain, 1, 2, 7)
  const tags = [
    partsEtag([one!, two!]),
    partsEtag([two!, one!]),
    partsEtag([again, two!]),
    partsEtag([one!, two!], '[]'),
    partsEtag(parts),
    partsEtag(parts.toReversed()),
  ]
  expect(new Set(tags).size).toBe(tags.length)
  expect(partsEtag(parts.slice())).toBe(partsEtag(parts))
})
