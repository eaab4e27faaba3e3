"""VirtualHome's simulator protocol, served from household graphs: no display, no Unity."""

from sim_bridge.virtualhome_server.http_server import VirtualHomeServer
from sim_bridge.virtualhome_server.service import VirtualHomeService

__all__ = ['VirtualHomeServer', 'VirtualHomeService']
