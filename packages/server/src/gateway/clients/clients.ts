import type { Socket } from 'node:net'
import type { Metrics } from '../../lib/metrics.ts'
import type { Clock } from '../chain/gatewayChain.ts'
import type { KeyAccess } from '../keys/keyAccess.ts'
import { type AddressLimits, type AddressUsage, createAddressUsage } from './addressUsage.ts'
import { type AnonymousClients, createAnonymousClients } from './anonymousClients.ts'
import { type ClientAddresses, createClientAddresses } from './clientAddress.ts'

/** The service's clients by address: how addresses are found, limited and counted. */
export type Clients = {
  addresses: ClientAddresses
  usage: AddressUsage
  anonymousClients: AnonymousClients
  /** Counts a new connection once, and closes it if its address has too many connections. */
  admit(socket: Socket): void
}

type ClientsOptions = {
  keys: KeyAccess
  trustedProxies: readonly string[]
  addressLimits: AddressLimits
  metrics: Metrics
  clock: Clock
}

export function createClients(options: ClientsOptions): Clients {
  const { keys, trustedProxies, addressLimits, metrics, clock } = options
  const addresses = createClientAddresses(trustedProxies)
  const usage = createAddressUsage(addressLimits, clock)
  // Node.js passes a socket to the server again after each upgrade that the server ignores.
  const admitted = new WeakSet<Socket>()
  return {
    addresses,
    usage,
    anonymousClients: createAnonymousClients({ keys, addresses, book: usage, metrics }),
    admit(socket) {
      if (admitted.has(socket)) return
      admitted.add(socket)
      const address = addresses.ofPeer(socket.remoteAddress)
      // Clients behind a trusted proxy are distinguished by their requests, not by the connection.
      if (address === null) return
      if (usage.connect(address)) socket.once('close', () => usage.disconnect(address))
      else {
        metrics.refusedRequestsTotal.inc({ reason: 'address_connections_max' })
        socket.destroy()
      }
    },
  }
}
