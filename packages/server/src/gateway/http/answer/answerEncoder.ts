import { createRecentMap } from '../../keys/recentMap.ts'
import { type Encoding, encoded } from './contentEncoding.ts'

/** Compresses answers. */
export type AnswerEncoder = {
  /** What was made of the same answer before, or null. `key` names the answer and its content. */
  kept(key: string, encoding: Encoding): Buffer | null
  /** Is there room for one more now? If not, an answer is sent as it is. */
  isFree(): boolean
  /** `key` is null where it will not be asked for again. The bytes must stay until it is done. */
  encode(bytes: Buffer, encoding: Encoding, key: string | null): Promise<Buffer>
}

// Files and names of hosts are looked up by the same few threads.
const underWayMax = 16
// Tokens and pairs that many ask for between two blocks, some 2 KB each.
const keptMax = 4_096
const keptBytesMax = 8_192

export function createAnswerEncoder(): AnswerEncoder {
  const recent = createRecentMap<Buffer>(keptMax)
  let underWay = 0
  return {
    kept: (key, encoding) => recent.get(`${encoding} ${key}`) ?? null,
    isFree: () => underWay < underWayMax,
    async encode(bytes, encoding, key) {
      underWay += 1
      try {
        const made = await encoded(bytes, encoding)
        if (key !== null && made.length <= keptBytesMax) recent.set(`${encoding} ${key}`, made)
        return made
      } finally {
        underWay -= 1
      }
    },
  }
}
