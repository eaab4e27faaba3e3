# Sets the variables with which ROS 2 and this checkout's interfaces are found.
# For a POSIX shell: `. scripts/environment.sh` in the checkout's root (REACTREE_ROOT elsewhere).
# Uses the ROS 2 distribution that `make setup` found sourced, else the wheels in .venv.

REACTREE_ROOT=${REACTREE_ROOT:-$PWD}
_reactree_venv=$REACTREE_ROOT/.venv
_reactree_interfaces=$(readlink -f "$REACTREE_ROOT/.reactree/interfaces/current")

# _reactree_prepend NAME ENTRY: puts ENTRY at the front of the path variable NAME, once.
_reactree_prepend() {
  eval "_reactree_value=\${$1-}"
  case ":$_reactree_value:" in
    *":$2:"*) ;;
    *) eval "export $1=\$2\${_reactree_value:+:\$_reactree_value}" ;;
  esac
}

_reactree_prefix=$(sed -n 1p "$REACTREE_ROOT/.reactree/distribution")
if [ -n "$_reactree_prefix" ]; then
  case ":${AMENT_PREFIX_PATH-}:" in
    *":$_reactree_prefix:"*) ;;
    *)
      _reactree_setup=$(sed -n 2p "$REACTREE_ROOT/.reactree/distribution")
      if [ ! -f "$_reactree_setup" ]; then
        echo "reactree: source the ROS 2 distribution in $_reactree_prefix first" >&2
        return 1
      fi
      . "$_reactree_setup"
      ;;
  esac
else
  # The wheels' own start-up hook would start every Python twice to set this path, in random order.
  _ROS_WHEELS_BOOTSTRAP_COMPLETE=1
  export _ROS_WHEELS_BOOTSTRAP_COMPLETE
  for _reactree_folder in "$_reactree_venv"/lib/python3*/site-packages/ros_*.libs; do
    _reactree_prepend LD_LIBRARY_PATH "$_reactree_folder"
  done
  _reactree_prepend LD_LIBRARY_PATH "$_reactree_venv/lib"
  _reactree_prepend AMENT_PREFIX_PATH "$_reactree_venv"
  ROS_DISTRO=${ROS_DISTRO:-kilted}
  export ROS_DISTRO
fi

for _reactree_folder in "$_reactree_interfaces"/lib/python3*/site-packages; do
  _reactree_prepend PYTHONPATH "$_reactree_folder"
done
_reactree_prepend LD_LIBRARY_PATH "$_reactree_interfaces/lib"
_reactree_prepend AMENT_PREFIX_PATH "$_reactree_interfaces"
# Interface packages of examples (scripts/set_up.py --interfaces).
for _reactree_more in "$REACTREE_ROOT"/.reactree/more_interfaces/*; do
  if [ -f "$_reactree_more/complete" ]; then
    for _reactree_folder in "$_reactree_more"/lib/python3*/site-packages; do
      _reactree_prepend PYTHONPATH "$_reactree_folder"
    done
    _reactree_prepend LD_LIBRARY_PATH "$_reactree_more/lib"
    _reactree_prepend AMENT_PREFIX_PATH "$_reactree_more"
  fi
done
_reactree_prepend PATH "$_reactree_venv/bin"

unset _reactree_venv _reactree_interfaces _reactree_prefix _reactree_folder _reactree_value
unset _reactree_setup _reactree_more
unset -f _reactree_prepend
