// Owns how WebSocket connections are accepted on the port of the HTTP listener. SPEC.md section 11 (#transport-ws).

import type { WebSocketServer } from 'ws';
import type { ListenContext, Listener } from '../../src/transport.ts';
import { ServedChannels } from '../channel/served-channels.ts';
import type { UpgradeHandler } from '../http/host/upgrade.ts';
import { isUpgradeHost, refuseUpgrade } from '../http/host/upgrade.ts';
import { maxPayloadOf, WS_PATH, WS_PROTOCOL, WsChannel } from './channel.ts';
import type { WsSettings } from './options.ts';

export async function listenWs(
  settings: WsSettings,
  context: ListenContext,
  earlier: readonly Listener[],
): Promise<Listener> {
  const host = earlier.find(isUpgradeHost);
  if (host === undefined) {
    throw new Error('ws() shares the port of http(): listen with http() first');
  }
  const server = await createHandshakes(context.limits.maxBytes);
  const channels = new ServedChannels(context, settings);
  const accept: UpgradeHandler = (request, socket, head) => {
    const peer = host.peerFactsOf(request, 'ws');
    server.handleUpgrade(request, socket, Buffer.from(head), (webSocket) => {
      const channel = new WsChannel(webSocket, settings.pingIntervalMs);
      if (channels.hasRoomFor(peer.address)) channels.add(channel, peer);
      else channel.close('busy');
    });
  };
  const release = host.onUpgrade(WS_PATH, (request, socket, head) => {
    if (channels.isClosing) refuseUpgrade(socket, 503, 'Service Unavailable');
    else accept(request, socket, head);
  });
  return {
    name: 'ws',
    urls: [host.urlOf(WS_PATH).replace(/^http/, 'ws')],
    async close(graceMs) {
      await channels.close(graceMs);
      release();
    },
  };
}

async function createHandshakes(maxBytes: number): Promise<WebSocketServer> {
  const { WebSocketServer } = await import('ws');
  return new WebSocketServer({
    noServer: true,
    clientTracking: false,
    perMessageDeflate: false,
    autoPong: false,
    maxPayload: maxPayloadOf(maxBytes),
    handleProtocols: (offered) => offered.has(WS_PROTOCOL) && WS_PROTOCOL,
  });
}
