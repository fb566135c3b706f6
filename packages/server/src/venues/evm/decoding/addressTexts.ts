import { isAddress, readAddressTopic } from './hexWords.ts'

/**
 * Interns addresses of topics and logs. The same few thousand repeat: each is checked once, and all
 * readers share one string, which saves memory and makes map lookups cheap.
 */
export type AddressTexts = {
  /** Address in an indexed argument; null if it is not one. */
  ofTopic(topic: string): string | null
  /** Is it the canonical text of a 20-byte address? */
  isAddress(text: string): boolean
}

type AddressTextsOptions = {
  /** Minimum number of texts kept; the maximum is twice this. @default 32_768 */
  entriesMax?: number | undefined
}

const topicChars = 66
const addressChars = 42
// About 10 MB when both generations are full.
const entriesMaxDefault = 32_768

export function createAddressTexts({
  entriesMax = entriesMaxDefault,
}: AddressTextsOptions = {}): AddressTexts {
  /** Topic or address to address; the two differ in length. */
  let young = new Map<string, string>()
  let old = new Map<string, string>()

  function keep(key: string, address: string): string {
    if (young.size >= entriesMax) {
      old = young
      young = new Map()
    }
    young.set(key, address)
    return address
  }

  return {
    ofTopic(topic) {
      if (topic.length !== topicChars) return null
      const known = young.get(topic)
      if (known !== undefined) return known
      const address = old.get(topic) ?? readAddressTopic(topic)
      return address === null ? null : keep(topic, address)
    },
    isAddress(text) {
      if (text.length !== addressChars) return false
      if (young.has(text)) return true
      if (!old.has(text) && !isAddress(text)) return false
      keep(text, text)
      return true
    },
  }
}
