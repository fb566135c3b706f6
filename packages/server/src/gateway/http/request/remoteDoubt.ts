import type { IncomingMessage } from 'node:http'
import { isIP } from 'node:net'
import { isLoopback } from '../../../lib/loopback.ts'

const proxyHeader = /^(forwarded|via|x-forwarded-.*|x-real-ip|cf-connecting-ip|true-client-ip)$/

/**
 * Why a request may come from another machine; null: a program on this machine sent it. Headers that proxies add only ever
 * make a request remote, so a client gains nothing by sending them.
 */
export function remoteDoubt({ headers, socket, httpVersion }: IncomingMessage): string | null {
  if (!isLoopbackAddress(socket.remoteAddress) || !isLoopbackAddress(socket.localAddress))
    return 'the request came from another machine'
  if (httpVersion !== '1.1' || Object.keys(headers).some((name) => proxyHeader.test(name)))
    return 'the request came through a proxy'
  return null
}

function isLoopbackAddress(address: string | undefined): boolean {
  return address !== undefined && isIP(address) !== 0 && isLoopback(address)
}
