import type { IncomingMessage } from 'node:http'
import { BlockList, isIP } from 'node:net'

/** Finds the client address that limits count for a connection or request. */
export type ClientAddresses = {
  /** Address of a connection; null: a trusted proxy, whose connections carry many clients. */
  ofPeer(remoteAddress: string | undefined): string | null
  /** Address of a request; behind a trusted proxy, the address that the proxy saw. */
  ofRequest(request: IncomingMessage): string
}

const mappedPrefix = '::ffff:'
// An IPv6 client has at least a /64 network, so limits count its first four groups.
const countedGroups = 4
const groups = 8

/**
 * `trustedProxies` are addresses and CIDR ranges. Only these proxies are believed about a client's
 * address.
 */
export function createClientAddresses(trustedProxies: readonly string[]): ClientAddresses {
  const trusted = new BlockList()
  for (const range of trustedProxies) addRange(trusted, range)
  const isTrusted = (address: string) => trusted.check(address, familyOf(address))

  function ofPeer(remoteAddress: string | undefined): string | null {
    const address = unmapped(remoteAddress ?? '')
    return isIP(address) !== 0 && isTrusted(address) ? null : limitKeyOf(address)
  }

  return {
    ofPeer,
    ofRequest(request) {
      const peer = unmapped(request.socket.remoteAddress ?? '')
      if (isIP(peer) === 0 || !isTrusted(peer)) return limitKeyOf(peer)
      let nearest = peer
      // The proxy wrote the last address itself. The client may have forged the earlier ones.
      for (const text of forwardedFor(request)) {
        const address = unmapped(withoutPort(text))
        if (isIP(address) === 0) break
        nearest = address
        if (!isTrusted(address)) break
      }
      return limitKeyOf(nearest)
    },
  }
}

/**
 * The form in which limits count an address. A text that is not an address, such as that of a
 * closed socket, counts as one client.
 */
function limitKeyOf(address: string): string {
  return isIP(address) === 6 ? networkOf(address) : address
}

function addRange(list: BlockList, range: string): void {
  const [network = '', bits] = range.split('/')
  if (bits === undefined) list.addAddress(network, familyOf(network))
  else list.addSubnet(network, Number(bits), familyOf(network))
}

function familyOf(address: string): 'ipv4' | 'ipv6' {
  return isIP(address) === 6 ? 'ipv6' : 'ipv4'
}

/** Unwraps an IPv4 address that arrived over an IPv6 socket, such as `::ffff:192.0.2.1`. */
function unmapped(address: string): string {
  const isMapped = address.toLowerCase().startsWith(mappedPrefix)
  const mapped = isMapped ? address.slice(mappedPrefix.length) : ''
  return isIP(mapped) === 4 ? mapped : address
}

function networkOf(address: string): string {
  const [head = '', tail] = address.split('%', 1)[0]!.toLowerCase().split('::')
  const before = head === '' ? [] : head.split(':')
  const after = tail === undefined || tail === '' ? [] : tail.split(':')
  const zeros = tail === undefined ? 0 : Math.max(0, groups - before.length - after.length)
  const all = [...before, ...Array<string>(zeros).fill('0'), ...after]
  const network = all
    .slice(0, countedGroups)
    .map((group) => Number.parseInt(group, 16).toString(16))
  return `${network.join(':')}::/64`
}

/**
 * Yields the addresses that proxies recorded, nearest first (X-Forwarded-For, or Forwarded of RFC
 * 7239).
 */
function* forwardedFor({ headers }: IncomingMessage): Generator<string> {
  const listed = headers['x-forwarded-for']
  if (listed !== undefined) yield* fromLast(listed.toString())
  else for (const element of fromLast(headers.forwarded ?? '')) yield forwardedAddressOf(element)
}

/**
 * Yields the elements of a comma-separated list from its end. The caller stops at the first element
 * that no trusted proxy wrote.
 */
function* fromLast(list: string): Generator<string> {
  for (let end = list.length; end > 0; ) {
    const comma = list.lastIndexOf(',', end - 1)
    yield list.slice(comma + 1, end).trim()
    end = comma
  }
}

function forwardedAddressOf(element: string): string {
  const pair = element.split(';').find((part) => /^\s*for\s*=/i.test(part))
  const value = pair?.slice(pair.indexOf('=') + 1) ?? ''
  return value.trim().replace(/^"(.*)"$/, '$1')
}

function withoutPort(text: string): string {
  const bracketed = /^\[([^\]]*)\](:\d+)?$/.exec(text)
  if (bracketed !== null) return bracketed[1]!
  return /^[^:]+:\d+$/.test(text) ? text.slice(0, text.indexOf(':')) : text
}
