import { gatewayOptionsOf } from '../../packages/server/src/app/gatewayOptions.ts'
import { loadConfig } from '../../packages/server/src/config/load.ts'

/** The limits of WebSockets that a service without any configuration has. */
export const defaultSocketLimits = gatewayOptionsOf(loadConfig({ env: {} }).config).socketLimits
